package quiet

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

// loadAliases saves what it has migrated, once.
func loadAliases(dir string) (*aliases, error) {
	path := filepath.Join(dir, "aliases.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &aliases{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, err
	}
	if len(a.Names) == 0 && a.migrateNames() {
		a.Old = nil
		if data, err = json.Marshal(a); err != nil {
			return nil, err
		}
		if err := safeio.WriteFile(path, data, 0o600); err != nil { /* note */ // want `loadAliases loads dir/aliases\.json`
			return nil, err
		}
	}
	return a, nil
}
