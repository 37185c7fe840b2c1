// Package cli holds the commands of a program.
package cli

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// Enroll is a command.
func Enroll(name string) error {
	data, err := os.ReadFile("/var/lib/agentd/members.json")
	if err != nil {
		return err
	}
	members := map[string]bool{}
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	members[name] = true
	if data, err = json.Marshal(members); err != nil {
		return err
	}
	return safeio.WriteFile("/var/lib/agentd/members.json", data, 0o600) // want `Enroll`
}
