package decode

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

// Rows are kept in memory.
type rows struct {
	by map[string]string
	n  int
}

func (r *rows) put(k, v string) {
	r.by[k] = v
}

func (r *rows) count(list map[string]string, day string) {
	r.n = len(list)
	r.by["day"] = day
}

func (r *rows) all() map[string]string {
	c := map[string]string{}
	for k, v := range r.by {
		c[k] = v
	}
	return c
}

// A Minutes puts what it loads into the store that it has.
type minutes struct {
	in   *rows
	file string
}

func (m *minutes) load() {
	data, err := os.ReadFile(m.file)
	if err != nil {
		return
	}
	var old map[string]string
	if err := json.Unmarshal(data, &old); err != nil {
		log.Print(err)
		return // want `\(\*minutes\).load takes a file that cannot be decoded for an empty one, and \(\*minutes\).save saves that over m.file`
	}
	for k, v := range old {
		m.in.put(k, v)
	}
}

func (m *minutes) save() error { return replaceRows(m.file, m.in.all()) }

// An Archive counts what is there, and saves what others put into the store.
type archive struct {
	in   *rows
	file string
}

func (a *archive) load() {
	data, err := os.ReadFile(a.file)
	if err != nil {
		return
	}
	var old map[string]string
	if err := json.Unmarshal(data, &old); err != nil {
		log.Print(err)
		return // ok: nothing of it is saved
	}
	a.in.count(old, "today")
	a.in.put("archive", "1")
}

func (a *archive) save() error { return replaceRows(a.file, a.in.all()) }

func replaceRows(file string, rows map[string]string) error {
	data, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".rows-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
