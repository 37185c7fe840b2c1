package dirsync

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type Conf struct{ N int }

func Save(path string, c *Conf) error {
	f, err := os.CreateTemp(filepath.Dir(path), "conf-*") // want tornwrite/nosync
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(c); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func SaveNoDir(path string, c *Conf) error {
	f, err := os.CreateTemp(filepath.Dir(path), "conf-*") // want tornwrite/nosync
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(c); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func Load(path string) (*Conf, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Conf
	return &c, json.Unmarshal(b, &c)
}
