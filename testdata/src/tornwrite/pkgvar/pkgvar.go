// Package pkgvar keeps paths in package variables and constants.
package pkgvar

import (
	"encoding/json"
	"os"
	"path/filepath"
)

var rosterPath = filepath.Join("/var/lib/agentd", "roster.json")

const leasePath = "/var/lib/agentd/lease.json"

var handed string

func putRoster(names []string) error {
	b, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return os.WriteFile(rosterPath, b, 0o644) // want `putRoster truncates pkgvar\.rosterPath`
}

func putLease(n int) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(leasePath, b, 0o644) // want `putLease truncates /var/lib/agentd/lease\.json`
}

func take() ([]string, error) {
	b, err := os.ReadFile(handed)
	if err != nil {
		return nil, err
	}
	var names []string
	return names, json.Unmarshal(b, &names)
}

// The variable has no value that can be seen; that it is read again is enough.
func hand(names []string) error {
	b, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return os.WriteFile(handed, b, 0o644) // want `hand truncates pkgvar\.handed`
}
