// Package disk keeps what it is given.
package disk

import (
	"encoding/json"

	"github.com/lockvet/lockvet/safeio"
)

// File is where the hosts are.
const File = "/var/lib/agentd/hosts.json"

// Save encodes what it is given.
func Save(hosts map[string]string) error {
	data, err := json.Marshal(hosts)
	if err != nil {
		return err
	}
	return safeio.WriteFile(File, data, 0o600)
}
