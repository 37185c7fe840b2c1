// Package methodvalue calls methods that it has in variables.
package methodvalue

import (
	"encoding/json"
	"os"
)

type state struct{ Names []string }

func load(r *os.Root) (*state, error) {
	read := r.ReadFile
	data, err := read("state.json")
	if err != nil {
		return nil, err
	}
	s := new(state)
	return s, json.Unmarshal(data, s)
}

func save(r *os.Root, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	write := r.WriteFile
	return write("state.json", data, 0o600) // want `save rewrites r/state.json in place`
}

func put(path string, data []byte) error {
	f, err := os.CreateTemp("", "x")
	if err != nil {
		return err
	}
	write := f.Write
	if _, err := write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// MarshalState has neither a receiver nor arguments.
func MarshalState() ([]byte, error) { return json.Marshal(state{}) }

func reset(path string) error {
	data, err := MarshalState()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // ok: nobody reads it
}
