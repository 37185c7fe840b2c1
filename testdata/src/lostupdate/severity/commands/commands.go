// Package commands renews what a person asks for.
package commands

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
	"github.com/spf13/cobra"
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

// newRefreshCmd is asked for by a person, and by one at a time.
func newRefreshCmd() *cobra.Command {
	return &cobra.Command{Run: func(cmd *cobra.Command, args []string) error {
		m, err := load(file)
		if err != nil {
			return err
		}
		m["refreshed"] = "now"
		return save(file, m) /* note */ // want `newRefreshCmd`
	}}
}

var _ = newRefreshCmd
