package across

import (
	"path/filepath"

	"lostupdate/across/index"
)

// search, countTwice and list save what they have loaded: it is Close that takes the lock, and does not load.
func search(dir, name string) error {
	s := index.New(filepath.Join(dir, "index.json"))
	if err := s.Load(); err != nil {
		return err
	}
	s.Add(name)
	return s.Close()
}

func countTwice(dir, name string) error {
	s := index.New(filepath.Join(dir, "index.json"))
	if err := s.Load(); err != nil {
		return err
	}
	s.Add(name)
	s.Add(name)
	return s.Close() // want `countTwice, like 2 other functions of the package, loads`
}

func list(dir string) error {
	s := index.New(filepath.Join(dir, "index.json"))
	if err := s.Load(); err != nil {
		return err
	}
	s.Add("list")
	return s.Close()
}

var _, _, _ = search, countTwice, list
