// Package index has what every run enters something into.
package index

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, b, 0o600)
}

const file = "/var/lib/agentd/index.json"

// enter adds an entry.
func enter(name string) error {
	m, err := load(file)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(file, m) /* error */ // want `enter`
}

const consents = "/var/lib/agentd/consents.json"

// recordConsent is about no record: the first word of a function says what it does.
func recordConsent(name string) error {
	m, err := load(consents)
	if err != nil {
		return err
	}
	m[name] = "given"
	return save(consents, m) /* warning */ // want `recordConsent`
}

var _, _ = enter, recordConsent
