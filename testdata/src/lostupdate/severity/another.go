package severity

import (
	"encoding/json"
	"os"
	"path/filepath"

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
	return safeio.WriteFile(path, data, 0o600) // want `addModel loads`
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
	return safeio.WriteFile(path, data, 0o600) // want `grant loads`
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
	return safeio.WriteFile(path, data, 0o600) // want `trust loads`
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
	return safeio.WriteFile(path, data, 0o600) // want `connect loads`
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
	return safeio.WriteFile(path, data, 0o600) // want `register loads`
}

// Include has ssh read a file of this program.
func Include(home, line string) error {
	path := filepath.Join(home, ".ssh", "config")
	m, err := load(path)
	if err != nil {
		return err
	}
	m[line] = "yes"
	return save(path, m) // want `Include loads`
}

// connectAll connects several beside each other.
func connectAll(servers []string) {
	for _, s := range servers {
		go connect(s)
	}
}

// count keeps state where others keep caches: a directory does not say what a file in it is.
func count(dir, name string) error {
	path := filepath.Join(dir, ".agent", "cache", "sync-state.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var state map[string]int
	if err := json.Unmarshal(data, &state); err != nil {
		return err
	}
	state[name]++
	if data, err = json.Marshal(state); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) /* note */ // want `count loads`
}

// look keeps what it can look up again.
func look(dir, name string) error {
	path := filepath.Join(dir, ".agent", "cache", "names.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var names map[string]int
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	names[name]++
	if data, err = json.Marshal(names); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}
