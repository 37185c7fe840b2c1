package stale

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A vault is loaded when it is made.
type vault struct {
	path    string
	secrets map[string]string
}

func openVault() (*vault, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	v := &vault{path: filepath.Join(home, ".tool", "vault.json"), secrets: map[string]string{}}
	data, err := os.ReadFile(v.path)
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(data, &v.secrets)
}

// withLock runs a function under the lock of a file.
func withLock(path string, do func() error) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

func (v *vault) save() error {
	data, err := json.Marshal(v.secrets)
	if err != nil {
		return err
	}
	return replace(v.path, data)
}

// set changes it in the function that runs under the lock.
func (v *vault) set(name, value string) error {
	return withLock(v.path, func() error {
		v.secrets[name] = value
		return v.save() // want `\(\*vault\).set takes the lock of the vault v, and saves it as it was loaded before that`
	})
}

// renew loads it under the lock.
func (v *vault) renew(name, value string) error {
	return withLock(v.path, func() error {
		data, err := os.ReadFile(v.path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &v.secrets); err != nil {
			return err
		}
		v.secrets[name] = value
		return v.save() // ok: it is loaded under the lock
	})
}

// flush changes nothing.
func (v *vault) flush() error {
	return withLock(v.path, func() error {
		return v.save() // ok: others have changed it
	})
}
