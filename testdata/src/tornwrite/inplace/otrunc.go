package inplace

import (
	"encoding/json"
	"os"
)

type preferences struct{ Theme string }

func savePreferences(path string, p preferences) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) // want `savePreferences truncates path before it is written`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(p); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
