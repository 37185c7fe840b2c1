// Package server starts and says so in a file that its callers name.
package server

import (
	"os"
	"strconv"
)

// Mark writes the number of the process.
func Mark(pidFile string) error {
	return os.WriteFile(pidFile, []byte(strconv.Itoa(os.Getpid())), 0o600)
}

// Begin starts it at once.
func Begin(pidFile string) error { return Mark(pidFile) }

// Start starts it.
func Start(pidFile string) error { return start(pidFile) }

func start(pidFile string) error { return Mark(pidFile) }
