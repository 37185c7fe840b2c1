package mutex

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sync"
)

var respawns sync.Mutex

type counts map[string]int

func load(town string) counts {
	n := counts{}
	if data, err := os.ReadFile(filepath.Join(town, "respawn-counts.json")); err == nil {
		if err := json.Unmarshal(data, &n); err != nil {
			log.Fatal(err)
		}
	}
	return n
}

func save(town string, n counts) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return replace(filepath.Join(town, "respawn-counts.json"), data)
}

// record is called by every process that works in the town.
func record(town, id string) error {
	respawns.Lock()
	defer respawns.Unlock()
	n := load(town)
	n[id]++
	return save(town, n) // want `record loads town/respawn-counts.json, changes it and saves it under a mutex of this process alone: what another process saves in between is lost`
}

// profiles stand in the user's home.
type profiles struct {
	mu sync.Mutex
}

func (p *profiles) file() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".agent", "profiles.json"), nil
}

func (p *profiles) add(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	path, err := p.file()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	out, err := json.Marshal(append(names, name))
	if err != nil {
		return err
	}
	return replace(path, out) // want `\(\*profiles\).add loads ~/.agent/profiles.json, changes it`
}
