package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

const (
	ledgerFile = "/var/lib/office/ledger.json"
	inbox      = "/var/spool/office"
)

// store is called for a file of its own and for one of many: whoever goes through
// these would meet its temporary file.
func store(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `store truncates .* \(no fix: letters lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

func post(name string, letter []byte) error { return store(filepath.Join(inbox, name), letter) }

func enter(sums map[string]int) error { return store(ledgerFile, sums) }

func sums() (m map[string]int, err error) {
	data, err := os.ReadFile(ledgerFile)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func letters() ([][]byte, error) {
	entries, err := os.ReadDir(inbox)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, e := range entries {
		letter, err := os.ReadFile(filepath.Join(inbox, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, letter)
	}
	return all, nil
}
