package anew

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type passport struct{ Name, Secret string }

// passports makes those anew that cannot be loaded, one after the other.
func passports(dir string, names []string) (list []*passport, err error) {
	for _, name := range names {
		path := filepath.Join(dir, "identities", name+".json")
		id, err := loadPassport(path) // want `where its file in dir/identities cannot be decoded, passports saves something else over it`
		if err != nil {
			if err := makePassport(path, name); err != nil {
				return nil, err
			}
			if id, err = loadPassport(path); err != nil {
				return nil, err
			}
		}
		list = append(list, id)
	}
	return list, nil
}

func loadPassport(path string) (*passport, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	id := new(passport)
	return id, json.Unmarshal(data, id)
}

func makePassport(path, name string) error {
	data, err := json.Marshal(&passport{name, "drawn"})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // ok: it is made where none can be loaded
}
