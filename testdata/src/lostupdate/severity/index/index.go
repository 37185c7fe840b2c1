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
	return save(consents, m) /* note */ // want `recordConsent`
}

// enterConsentRecord is about the file that it names.
func enterConsentRecord(name string) error {
	m, err := load(consents)
	if err != nil {
		return err
	}
	m[name] = "given"
	return save(consents, m) /* error */ // want `enterConsentRecord`
}

const settings = "/var/lib/agentd/settings.json"

// addRegistry changes one of several things that the settings list.
func addRegistry(name string) error {
	m, err := load(settings)
	if err != nil {
		return err
	}
	m[name] = "registry"
	return save(settings, m) /* note */ // want `addRegistry`
}

var _, _, _, _ = enter, recordConsent, enterConsentRecord, addRegistry
