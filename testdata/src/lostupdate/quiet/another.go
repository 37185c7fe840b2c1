package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/mitchellh/go-homedir"

	"github.com/lockvet/lockvet/safeio"
)

// addModel changes a list that belongs to another agent.
func addModel(name string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, ".pi", "agent", "models.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var models map[string]bool
	if err := json.Unmarshal(data, &models); err != nil {
		return err
	}
	models[name] = true
	if data, err = json.Marshal(models); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// allow changes the settings of another agent, as do all who call grant.
func allow(tool string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	return grant(filepath.Join(home, ".gemini", "settings.json"), tool)
}

func allowGit(tool string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	return grant(filepath.Join(home, ".gitconfig"), tool)
}

func allowHere(tool string) error { return grant(".claude/settings.json", tool) }

func grant(path, tool string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var settings map[string]bool
	if err := json.Unmarshal(data, &settings); err != nil {
		return err
	}
	settings[tool] = true
	if data, err = json.Marshal(settings); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// trust names the place to a function that knows where the user is at home.
func trust(dir string) error {
	path, err := homedir.Expand("~/.codex/config.json")
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var trusted map[string]bool
	if err := json.Unmarshal(data, &trusted); err != nil {
		return err
	}
	trusted[dir] = true
	if data, err = json.Marshal(trusted); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// recent is the name of what was looked at before.
func recent(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "recent-session"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// resume goes on with what was looked at before, and notes under which name that is
// known now.
func resume(dir string, rename func(string) string) error {
	name := rename(recent(dir))
	return safeio.WriteFile(filepath.Join(dir, "recent-session"), []byte(name+"\n"), 0o600)
}

// connect changes what another program has in the directory of such things.
func connect(server string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, "Library", "Application Support", "Claude", "servers.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var servers map[string]bool
	if err := json.Unmarshal(data, &servers); err != nil {
		return err
	}
	servers[server] = true
	if data, err = json.Marshal(servers); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// editorFile has its path from a list of parts.
func editorFile(parts ...string) string {
	home, _ := os.UserHomeDir()
	base := filepath.Join(home, "Library", "Application Support", "Code")
	return filepath.Join(append([]string{base}, parts...)...)
}

// register changes what an editor has there.
func register(server string) error {
	path := editorFile("User", "servers.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var servers map[string]bool
	if err := json.Unmarshal(data, &servers); err != nil {
		return err
	}
	servers[server] = true
	if data, err = json.Marshal(servers); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}
