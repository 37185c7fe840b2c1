package mounted

import (
	"encoding/json"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

type jail struct {
	dir   string
	Users map[string]string
}

func (j *jail) bind(root string) error {
	data, err := json.Marshal(j.Users)
	if err != nil {
		return err
	}
	config := filepath.Join(j.dir, "config.json")
	if err := os.WriteFile(config, data, 0o600); err != nil { // ok: it is mounted below
		return err
	}
	return unix.Mount(config, filepath.Join(root, "etc", "config.json"), "", unix.MS_BIND, "")
}
