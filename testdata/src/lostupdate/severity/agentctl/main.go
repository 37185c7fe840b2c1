// Command agentctl changes one file a run.
package main

import (
	"encoding/json"
	"os"
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
	return os.WriteFile(path, b, 0o600) // want `save truncates path`
}

// enter adds an entry.
func enter(name string) error {
	m, err := load("/var/lib/agentd/roster.json")
	if err != nil {
		return err
	}
	m["entry"] = name
	return save("/var/lib/agentd/roster.json", m) /* note */ // want `enter`
}

func main() {
	if err := enter(os.Args[1]); err != nil {
		panic(err)
	}
}
