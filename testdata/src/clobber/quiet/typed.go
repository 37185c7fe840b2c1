package quiet

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

// ErrNotExist is an error of its own kind.
type ErrNotExist struct{ error }

func fetch(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "typed.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotExist{err}
	}
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// note has a lock. It begins anew where there is no file, and nowhere else.
func note(dir, name string) error {
	f, err := os.OpenFile(filepath.Join(dir, "typed.json.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	m, err := fetch(dir)
	if err != nil {
		if _, ok := err.(ErrNotExist); !ok {
			return err
		}
		m = map[string]string{}
	}
	m[name] = "entered"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(dir, "typed.json"), data, 0o600)
}
