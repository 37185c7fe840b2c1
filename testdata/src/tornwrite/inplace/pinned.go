package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A mount has files that containers see.
type mount struct{ dir string }

func (m *mount) load() (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(m.dir, "hosts.json"))
	if err != nil {
		return nil, err
	}
	var hosts map[string]string
	return hosts, json.Unmarshal(data, &hosts)
}

// save writes what load reads.
func (m *mount) save(hosts map[string]string) error {
	data, err := json.Marshal(hosts)
	if err != nil {
		return err
	}
	// It is bind-mounted into each container, where a rename would not be seen.
	if err := os.WriteFile(filepath.Join(m.dir, "hosts.json"), data, 0o600); err != nil { // ok: the comment says why
		return err
	}
	return os.WriteFile(filepath.Join(m.dir, "session.json"), data, 0o600) // want `save truncates m.dir/session.json`
}

// overwrite keeps the inode, of which a watcher in another mount namespace hears.
func overwrite(path string, data []byte) error {
	return os.WriteFile(path, data, 0o600) // ok: the comment says why
}

func (m *mount) config(hosts map[string]string) error {
	data, err := json.Marshal(hosts)
	if err != nil {
		return err
	}
	return overwrite(filepath.Join(m.dir, "config.json"), data)
}

// What a comment elsewhere in the function tells is of something else.
func (m *mount) publish(hosts map[string]string) error {
	// What is bind-mounted is made later.
	data, err := json.Marshal(hosts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.dir, "state.json"), data, 0o600) // want `publish truncates m.dir/state.json`
}

// list writes the bind mounts of a container, each with its inode.
func (m *mount) list(hosts map[string]string) error {
	data, err := json.Marshal(hosts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(m.dir, "resolv.conf"), data, 0o600); err != nil { // ok: containers have it mounted
		return err
	}
	return os.WriteFile(filepath.Join(m.dir, "mounts.json"), data, 0o600) // want `list truncates m.dir/mounts.json`
}

func (m *mount) reload() (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(m.dir, "resolv.conf"))
	if err != nil {
		return nil, err
	}
	var hosts map[string]string
	return hosts, json.Unmarshal(data, &hosts)
}
