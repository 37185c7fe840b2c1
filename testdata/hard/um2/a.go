package um2

import (
	"encoding/json"
	"os"
)

type Conf struct{ N int }

type Store struct {
	path  string
	items map[string]*Conf
	last  *Conf
}

func (s *Store) Load() error {
	b, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	c := new(Conf)
	_ = json.Unmarshal(b, c) // want clobber/decode
	s.items["x"] = c
	return nil
}

func (s *Store) Save() error {
	out, err := json.Marshal(s.items["x"])
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, out, 0o600) // want tornwrite/inplace
}
