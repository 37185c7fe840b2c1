package live

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// Encode is what u was told of a package, for [Uses.AddEncoded]: nil where that is
// nothing.
func (u *Uses) Encode(path string) ([]byte, error) {
	u.mu.Lock()
	of := u.packages[path]
	u.mu.Unlock()
	if of == nil {
		return nil, nil
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(of); err != nil {
		return nil, fmt.Errorf("encoding the uses of %s: %w", path, err)
	}
	return out.Bytes(), nil
}

// AddEncoded tells again what was encoded.
func (u *Uses) AddEncoded(path string, encoded []byte) error {
	if len(encoded) == 0 {
		return nil
	}
	of := new(uses)
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(of); err != nil {
		return fmt.Errorf("decoding the uses of %s: %w", path, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.packages[path] = of
	return nil
}
