// Package examples serves no user.
package examples

import (
	"encoding/json"
	"os"
)

// Put is what others call.
func Put(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile("/var/lib/agentd/session.json", b, 0o600) // ok: by its package
}
