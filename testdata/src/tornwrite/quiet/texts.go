package quiet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

func loadConfig(dir string) (map[string]string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil, err
	}
	var c map[string]string
	return c, json.Unmarshal(b, &c)
}

func installConfig(dir string) error {
	return os.WriteFile(filepath.Join(dir, "config.json"), []byte("{\"editor\": \"vi\"}\n"), 0o644) // ok: a constant, written again at will
}

func clearConfig(dir string) error {
	return os.WriteFile(filepath.Join(dir, "config.json"), []byte{}, 0o644) // ok: there is nothing to write that could be torn
}

func saveConfig(dir string, c map[string]string) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), b, 0o644) // want `saveConfig truncates dir/config\.json`
}

// A text with a few values filled in is written once, by the command that sets
// up a project.
func initProject(dir, name string) error {
	text := fmt.Sprintf("project:\n  name: %s\n  members: []\n  tasks: []\n  notes: none\n", name)
	return os.WriteFile(filepath.Join(dir, "project.yaml"), []byte(text), 0o644) // ok: a scaffold
}

func initUnit(dir string, unit *template.Template, v any) error {
	f, err := os.Create(filepath.Join(dir, "agent.conf")) // ok: rendered from a template
	if err != nil {
		return err
	}
	defer f.Close()
	return unit.Execute(f, v)
}
