package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type aliases struct {
	Names map[string]string
	Old   []string
}

// migrateNames says whether there was anything to migrate.
func (a *aliases) migrateNames() bool {
	for _, name := range a.Old {
		a.Names[name] = name
	}
	return len(a.Old) > 0
}

// tidyAliases saves what needs no migration, whenever it is called.
func tidyAliases(dir string) (*aliases, error) {
	path := filepath.Join(dir, "aliases.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &aliases{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, err
	}
	if !a.migrateNames() {
		a.Old = nil
		if data, err = json.Marshal(a); err != nil {
			return nil, err
		}
		if err := safeio.WriteFile(path, data, 0o600); err != nil { // want `tidyAliases loads dir/aliases.json`
			return nil, err
		}
	}
	return a, nil
}

// renameAlias saves whether anything was migrated or not.
func renameAlias(dir, from, to string) error {
	path := filepath.Join(dir, "aliases.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	a := &aliases{}
	if err := json.Unmarshal(data, a); err != nil {
		return err
	}
	a.Names[to] = a.Names[from]
	if a.migrateNames() || from != to {
		if data, err = json.Marshal(a); err != nil {
			return err
		}
		return safeio.WriteFile(path, data, 0o600) // want `renameAlias loads dir/aliases.json`
	}
	return nil
}
