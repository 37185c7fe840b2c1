// Package paths says where things are.
package paths

import (
	"os"
	"path/filepath"
)

// Plan is the file of plans.
func Plan() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".together", "plan.json")
}
