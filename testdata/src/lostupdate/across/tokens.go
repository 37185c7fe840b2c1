package across

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type tokens struct{ dir string }

func newTokens() (*tokens, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	return &tokens{filepath.Join(dir, "tokens")}, nil
}

// file is the name of the file of one user.
func (t *tokens) file(user string) string { return filepath.Join(t.dir, user+".json") }

func (t *tokens) load(user string) ([]string, error) {
	data, err := os.ReadFile(t.file(user))
	if err != nil {
		return nil, err
	}
	var list []string
	return list, json.Unmarshal(data, &list)
}

func (t *tokens) save(user string, list []string) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safeio.WriteFile(t.file(user), data, 0o600)
}

// refresh has the name of the file from an object that it has in a variable, for what it is given.
func refresh(user, token string) error {
	store, err := newTokens()
	if err != nil {
		return err
	}
	list, err := store.load(user)
	if err != nil {
		return err
	}
	return store.save(user, append(list, token)) // want `refresh loads`
}
