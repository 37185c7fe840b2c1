package mutex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// A table is loaded when it is made, and again before each change: other processes change it.
type table struct {
	dir  string
	mu   sync.Mutex
	rows map[string]string
}

func newTable(dir string) (*table, error) {
	t := &table{dir: dir, rows: map[string]string{}}
	t.reload()
	return t, nil
}

func (t *table) reload() {
	data, err := os.ReadFile(filepath.Join(t.dir, "rows.json"))
	if err != nil {
		return
	}
	var rows map[string]string
	if err := json.Unmarshal(data, &rows); err == nil {
		t.rows = rows
	}
}

func (t *table) save() error {
	data, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	return replace(filepath.Join(t.dir, "rows.json"), data)
}

func (t *table) add(name, row string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reload()
	t.rows[name] = row
	return t.save() // want `\(\*table\).add loads t.dir/rows.json, changes it and saves it under a mutex of this process alone`
}

// A shelf is read for each change, and kept nowhere: that is how it is written, no more.
type shelf struct {
	dir string
	mu  sync.Mutex
}

func (s *shelf) rows() (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, "shelf.json"))
	if err != nil {
		return nil, err
	}
	rows := map[string]string{}
	return rows, json.Unmarshal(data, &rows)
}

func (s *shelf) add(name, row string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.rows()
	if err != nil {
		return err
	}
	rows[name] = row
	data, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return replace(filepath.Join(s.dir, "shelf.json"), data)
}
