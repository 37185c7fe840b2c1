package store

import (
	"encoding/json"
	"os"
)

type Conf struct{ N uint64 }

func Bump(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c Conf
	_ = json.Unmarshal(b, &c) // want clobber/decode
	h := c.N
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	h = h ^ (h << 7)
	if h == 0 {
		return nil
	}
	c.N = h
	out, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o600) // want tornwrite/inplace
}
