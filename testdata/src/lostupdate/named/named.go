// Package named has a lock for a file already, which is not named after all of it.
package named

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

type charts struct{ Names []string }

func load(path string) (*charts, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c charts
	return &c, json.Unmarshal(data, &c)
}

func save(path string, c *charts) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(path, data)
}

type adding struct{ chartFile string }

func (a *adding) run(name string) error {
	l := flock.New(strings.TrimSuffix(a.chartFile, filepath.Ext(a.chartFile)) + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	c, err := load(a.chartFile)
	if err != nil {
		return err
	}
	c.Names = append(c.Names, name)
	return save(a.chartFile, c)
}

type removing struct{ chartFile string }

// run would keep others of its kind out, and not those who add.
func (r *removing) run() error {
	c, err := load(r.chartFile)
	if err != nil {
		return err
	}
	c.Names = c.Names[1:]
	return save(r.chartFile, c) // want `\(\*removing\).run loads r.chartFile.*no fix: others take a lock of another name for it`
}
