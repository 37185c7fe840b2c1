// Package commented renders its files from texts with comments for people.
package commented

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type settings struct{ Every, Pins string }

func settingsPath(dir string) string { return filepath.Join(dir, "settings.conf") }

func loadSettings(dir string) (s settings, err error) {
	data, err := os.ReadFile(settingsPath(dir))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(data)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " = "); key {
		case "every":
			s.Every = value
		case "pins":
			s.Pins = value
		}
	}
	return s, nil
}

const settingsText = `# Settings of the monitor.
# The program rewrites this file when you change something in it.

# How often to ask.
every = %s

# What is shown first.
pins = %s
`

func saveSettings(dir string, s settings) error {
	body := fmt.Sprintf(settingsText, s.Every, s.Pins)
	return os.WriteFile(settingsPath(dir), []byte(body), 0o600) // want `saveSettings truncates dir/settings.conf before it is written`
}

const unitText = `# Settings of the service.
[Unit]
Description=monitor

[Service]
ExecStart=%s
User=%s
`

// installUnit writes what another program reads.
func installUnit(dir, binary, user string) error {
	unit := fmt.Sprintf(unitText, binary, user)
	return os.WriteFile(filepath.Join(dir, "monitor-settings.conf"), []byte(unit), 0o600) // ok: nothing here loads it
}

func hasUnit(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "monitor-settings.conf"))
	return err == nil && len(data) > 0
}
