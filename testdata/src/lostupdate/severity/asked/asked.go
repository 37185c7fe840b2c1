// Package asked renews what is asked for.
package asked

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

const file = "/var/lib/agentd/tokens.json"

// Get renews the token that is asked for.
func Get(name string) string {
	if err := enter(name); err != nil {
		return ""
	}
	return name
}

func enter(name string) error {
	m, err := load(file)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(file, m) /* error */ // want `enter`
}

const colours = "/var/lib/agentd/colours.json"

// GetColour makes a colour up for who has none: it is no loss.
func GetColour(name string) string {
	if err := paint(name); err != nil {
		return ""
	}
	return name
}

func paint(name string) error {
	m, err := load(colours)
	if err != nil {
		return err
	}
	m[name] = "red"
	return save(colours, m) /* note */ // want `paint`
}

const seen = "/var/lib/agentd/seen.json"

// IsSeen is a question that saves.
func IsSeen(name string) bool {
	m, err := load(seen)
	if err != nil || m[name] != "" {
		return err == nil
	}
	m[name] = "asked"
	return save(seen, m) != nil /* error */ // want `IsSeen`
}
