// Package lookup changes files of what the user names, and files that the user names.
package lookup

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
	"github.com/spf13/cobra"

	"lostupdate/lookup/sites"
)

type tuning struct{ Keys map[string]string }

func load(path string) (*tuning, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &tuning{}
	return t, json.Unmarshal(data, t)
}

func save(path string, t *tuning) error {
	out, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, out, 0o600)
}

// tune changes the settings of a site that has been looked up: they stand where the
// program has put them, whoever asks.
func tune(cmd *cobra.Command, args []string) error {
	site, err := sites.Find("/var/lib/sited/registry.json", args[0])
	if err != nil {
		return err
	}
	path := filepath.Join(site.Dir, "tuning.json")
	t, err := load(path)
	if err != nil {
		return err
	}
	t.Keys[args[1]] = args[2]
	return save(path, t) // want `tune loads tuning.json, changes it and saves it with no lock`
}

// tuneRemote does the same for one that another package has found.
func tuneRemote(m *sites.Manager, cmd *cobra.Command, args []string) error {
	path := filepath.Join(m.Get(args[0]).Dir, "tuning.json")
	t, err := load(path)
	if err != nil {
		return err
	}
	t.Keys[args[1]] = args[2]
	return save(path, t) // want `tuneRemote loads .*/tuning.json, changes it and saves it with no lock`
}

// edit changes a file that stands on the command line.
func edit(cmd *cobra.Command, args []string) error {
	order, err := sites.Parse(args)
	if err != nil {
		return err
	}
	t, err := load(order.File)
	if err != nil {
		return err
	}
	t.Keys[order.Key] = "on"
	return save(order.File, t)
}
