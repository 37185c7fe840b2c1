// Package seams has writes that come about behind what stands between the program and its
// files: an interface, a field that holds a function, a constructor that is given the path.
package seams

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A fileSystem has one side that acts on files, and one for those who want none.
type fileSystem interface {
	ReadFile(name string) ([]byte, error)
	WriteFile(name string, data []byte) error
}

type disk struct{}

func (disk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (disk) WriteFile(name string, data []byte) error {
	return os.WriteFile(name, data, 0o600) // ok: whoever calls it knows what it writes
}

type none map[string][]byte

func (n none) ReadFile(name string) ([]byte, error) { return n[name], nil }

func (n none) WriteFile(name string, data []byte) error {
	n[name] = data
	return nil
}

type sessions struct {
	fs  fileSystem
	dir string
}

func (s *sessions) file() string { return filepath.Join(s.dir, "sessions.json") }

func (s *sessions) load() (m map[string]string, err error) {
	data, err := s.fs.ReadFile(s.file())
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func (s *sessions) save(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.fs.WriteFile(s.file(), data) // want `\(\*sessions\).save rewrites s.dir/sessions.json in place through \(disk\).WriteFile`
}

// A table keeps the functions by which it writes.
type table struct {
	path   string
	write  func(string, []byte, os.FileMode) error
	rename func(string, string) error
}

func newTable(path string) *table {
	return &table{path: path, write: os.WriteFile, rename: os.Rename}
}

func (t *table) load() (m map[string]int, err error) {
	data, err := os.ReadFile(t.path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func (t *table) save(m map[string]int) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := t.write(t.path+".tmp", data, 0o600); err != nil { // want `writes t.path through t.path.tmp, a name that every writer shares`
		return err
	}
	return t.rename(t.path+".tmp", t.path)
}

// An app loads its file when it is made, and saves it under the field that has the path.
type app struct {
	path  string
	state map[string]string
}

func openApp(path string) (*app, error) {
	a := &app{path: path, state: map[string]string{}}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return a, json.Unmarshal(data, &a.state)
}

func (a *app) save() error {
	data, err := json.Marshal(a.state)
	if err != nil {
		return err
	}
	return os.WriteFile(a.path, data, 0o600) // want `\(\*app\).save truncates a.path`
}

// A note has its fields in front of its text.
type note struct {
	Title string
	Done  bool
}

func loadNote(dir, id string) (*note, error) {
	data, err := os.ReadFile(filepath.Join(dir, id+".note"))
	if err != nil {
		return nil, err
	}
	n := &note{}
	return n, json.Unmarshal(data, n)
}

func saveNote(dir, id string, n *note) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	out := append([]byte("---\n"), data...)
	return os.WriteFile(filepath.Join(dir, id+".note"), append(out, "---\n"...), 0o600) // want `saveNote truncates dir/id.note`
}

// Totals are written over what the file holds.
type totals struct {
	N     int
	Items []string
}

func loadTotals(path string) (*totals, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &totals{}
	return t, json.NewDecoder(f).Decode(t)
}

func saveTotals(path string, t *totals) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // want `saveTotals overwrites path without truncating it`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(t)
}

// Lines are read, sifted and written again.
func readLines(path string) (list []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		list = append(list, lines.Text())
	}
	return list, lines.Err()
}

func writeLines(path string, list []string) error {
	f, err := os.Create(path) // want `writeLines truncates path`
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, line := range list {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

func forget(path, host string) error {
	list, err := readLines(path)
	if err != nil {
		return err
	}
	var kept []string
	for _, line := range list {
		if !strings.HasPrefix(line, host) {
			kept = append(kept, line)
		}
	}
	return writeLines(path, kept) // want `forget loads path, changes it and saves it with no lock`
}

// A shelf has its callers write what it keeps.
type shelf struct{ dir string }

func (s *shelf) readTalk(id string, read func(*os.File) error) error {
	f, err := os.Open(filepath.Join(s.dir, id+".json"))
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}

func (s *shelf) writeTalk(id string, write func(*os.File) error) error {
	f, err := os.Create(filepath.Join(s.dir, id+".json")) // want `\(\*shelf\).writeTalk truncates s.dir/id.json`
	if err != nil {
		return err
	}
	defer f.Close()
	return write(f)
}
