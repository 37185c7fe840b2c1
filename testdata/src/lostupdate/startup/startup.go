// Package startup edits the start-up file of the user's shell, which nobody locks.
package startup

import (
	"os"
	"path/filepath"
	"strings"

	"lostupdate/startup/atomicfile"
)

const begin, end = "# begin agent", "# end agent"

func startupFile(shell string) string {
	home, _ := os.UserHomeDir()
	if shell == "zsh" {
		return filepath.Join(home, ".zshrc")
	}
	return filepath.Join(home, ".bashrc")
}

// Remove takes a block out: that the helper moves the file into its place says nothing of it.
func Remove(shell string) error {
	path := startupFile(shell)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content := string(data)
	from, to := strings.Index(content, begin), strings.Index(content, end)
	if from < 0 || to < from {
		return nil
	}
	return atomicfile.WriteFile(path, []byte(content[:from]+content[to:]), 0o644) // ok
}
