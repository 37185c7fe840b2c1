package across

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type marks struct{ name string }

// file can fail: who asks for the name of the file gets an error, too.
func (m *marks) file() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "across", m.name+".json"), nil
}

func (m *marks) load() (map[string]bool, error) {
	path, err := m.file()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	return set, json.Unmarshal(data, &set)
}

func (m *marks) save(set map[string]bool) error {
	path, err := m.file()
	if err != nil {
		return err
	}
	data, err := json.Marshal(set)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

func (m *marks) set(name string) error {
	set, err := m.load()
	if err != nil {
		return err
	}
	set[name] = true
	return m.save(set) // want `set loads`
}

// notes have nothing of their own that is in the path.
type notes struct{ seen int }

func (n *notes) file(ctx context.Context) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "across", "notes.json"), ctx.Err()
}

func (n *notes) load(ctx context.Context) ([]string, error) {
	path, err := n.file(ctx)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	return list, json.Unmarshal(data, &list)
}

func (n *notes) save(ctx context.Context, list []string) error {
	path, err := n.file(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

func (n *notes) add(ctx context.Context, text string) error {
	list, err := n.load(ctx)
	if err != nil {
		return err
	}
	return n.save(ctx, append(list, text)) // want `add loads`
}
