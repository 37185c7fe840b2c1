// Package far lets another package make its claims.
package far

import (
	"fmt"
	"os"
	"path/filepath"

	"racycreate/across/server"
)

// Claim does it by one call.
func Claim(dir string) error {
	pidFile := filepath.Join(dir, "claim.pid")
	if _, err := os.Stat(pidFile); err == nil {
		return fmt.Errorf("it is already running: %s", pidFile)
	}
	return server.Mark(pidFile) // want `Claim asks for dir/claim.pid before it makes it`
}

// Run leaves that to a function which has more to do.
func Run(dir string) error {
	pidFile := filepath.Join(dir, "app.pid")
	if _, err := os.Stat(pidFile); err == nil {
		return fmt.Errorf("it is already running: %s", pidFile)
	}
	return server.Start(pidFile) // ok: that is for it to know
}

// Resume does so, too.
func Resume(dir string) error {
	pidFile := filepath.Join(dir, "resume.pid")
	if _, err := os.Stat(pidFile); err == nil {
		return fmt.Errorf("it is already running: %s", pidFile)
	}
	return server.Begin(pidFile) // ok: it is made a call further down
}
