package oldtail

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type wishes struct{ List []string }

type wishingWell struct {
	ConfigDir string
	config    *wishes
}

func newWishingWell(dir string) (*wishingWell, error) {
	w, err := loadUserWishes(dir, &wishes{})
	if err != nil {
		return nil, err
	}
	return &wishingWell{dir, w}, nil
}

// loadUserWishes makes an empty file where there is none.
func loadUserWishes(dir string, base *wishes) (*wishes, error) {
	path := filepath.Join(dir, "wishes.json")
	if _, err := os.Stat(path); err != nil {
		if os.IsNotExist(err) {
			f, err := os.Create(path) // ok: nothing is written to it
			if err != nil {
				return nil, err
			}
			f.Close()
		} else {
			return nil, err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, base); err != nil {
		return nil, err
	}
	return base, nil
}

// wishLocked opens the same file again; its callers have the lock.
func (w *wishingWell) wishLocked(what func(*wishes) error) error {
	l, err := loadUserWishes(w.ConfigDir, &wishes{})
	if err != nil {
		return err
	}
	if err := what(l); err != nil {
		return err
	}
	f, err := os.OpenFile(w.path(), os.O_WRONLY|os.O_CREATE, 0o666) // want `wishLocked overwrites`
	if err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(l)
}

func (w *wishingWell) path() string { return filepath.Join(w.ConfigDir, "wishes.json") }
