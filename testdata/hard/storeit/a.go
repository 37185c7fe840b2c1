package storeit

import (
	"encoding/json"
	"os"
)

type State struct{ N int }

func touch(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte("x")); err != nil {
		return err
	}
	return f.Close()
}

func load(path string) (*State, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

func save(path string, s *State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600) // want tornwrite/inplace
}

func Run(dir string) error {
	path := dir + "/session.json"
	if err := touch(dir + "/m0"); err != nil {
		return err
	}
	if err := touch(dir + "/m1"); err != nil {
		return err
	}
	if err := touch(dir + "/m2"); err != nil {
		return err
	}
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s) // want lostupdate/unlocked
}
