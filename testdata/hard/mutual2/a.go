package mutual2

import (
	"encoding/json"
	"os"
)

type State struct{ N int }

func retry(path string, b []byte, n int) error {
	return put(path, b, n-1)
}

func put(path string, b []byte, n int) error {
	if n > 3 {
		return retry(path, b, n)
	}
	return os.WriteFile(path, b, 0o600) // want tornwrite/inplace
}

func Bump(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	s.N++
	if b, err = json.Marshal(s); err != nil {
		return err
	}
	return retry(path, b, 9)
}
