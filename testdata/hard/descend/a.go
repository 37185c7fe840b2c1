// A kind asks those below it, down to the last.
package descend

import (
	"encoding/json"
	"os"
)

type Kind struct {
	Name  string
	Above *Kind
	Below []*Kind
	is    func([]byte) bool
}

func (k *Kind) copied(below *Kind) *Kind {
	c := &Kind{Name: k.Name, Above: below, is: k.is}
	return c
}

func (k *Kind) match(b []byte) *Kind {
	for _, c := range k.Below {
		if c.is(b) {
			return c.match(b)
		}
	}
	r := k.copied(k)
	for p := k; p.Above != nil; p = p.Above {
		r.Above = p
	}
	return r
}

func (k *Kind) Save(path string, b []byte) error {
	b, err := json.Marshal(k.match(b).Name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
