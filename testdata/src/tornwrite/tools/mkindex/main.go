// Mkindex is a program among those that developers run.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveIndex(dir string, index map[string]string) error {
	data, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), data, 0o644) // ok: a program for developers
}

func main() {
	if err := saveIndex("docs", nil); err != nil {
		os.Exit(1)
	}
}
