// Package setup is named for what is done once. Its functions are not, and save what
// they have loaded.
package setup

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type profile struct{ Hosts []string }

func load(path string) (*profile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &profile{}
	return p, json.Unmarshal(data, p)
}

func save(path string, p *profile) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

func addHost(host string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, ".agentd", "profile.json")
	p, err := load(path)
	if err != nil {
		return err
	}
	p.Hosts = append(p.Hosts, host)
	return save(path, p) // want `addHost loads .*profile.json`
}

func migrateHosts() error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, ".agentd", "hosts.json")
	p, err := load(path)
	if err != nil {
		return err
	}
	p.Hosts = append(p.Hosts, "localhost")
	return save(path, p) /* note */ // want `migrateHosts loads ~/\.agentd/hosts\.json`
}
