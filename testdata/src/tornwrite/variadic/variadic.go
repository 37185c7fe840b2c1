// Package variadic has paths that are put together from lists.
package variadic

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree has its files below a directory.
type tree struct{ root string }

func (t *tree) path(parts ...string) string {
	return filepath.Join(append([]string{t.root}, parts...)...)
}

// The same list is the same file.
func (t *tree) fetch() (map[string]string, error) {
	data, err := os.ReadFile(t.path("runs", "table.dat"))
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) put(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(t.path("runs", "table.dat"), data, 0o600) // want `put truncates t.root/runs/table.dat before it is written`
}

// Another list is another file, which nobody loads.
func (t *tree) note(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(t.path("runs", "table.txt"), data, 0o600) // ok: nothing says that it is loaded again
}

// A list that has a name, and one that is passed on.
func below(dir string, parts ...string) string {
	all := []string{dir, "v1"}
	all = append(all, parts...)
	return filepath.Join(all...)
}

func inner(dir string, parts ...string) string { return below(dir, parts...) }

func (t *tree) fetchNames() ([]string, error) {
	data, err := os.ReadFile(inner(t.root, "names.dat"))
	if err != nil {
		return nil, err
	}
	var names []string
	return names, json.Unmarshal(data, &names)
}

func (t *tree) putNames(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(below(t.root, "names.dat"), data, 0o600) // want `putNames truncates t.root/v1/names.dat before it is written`
}

// No parts at all: the directory's name is the file.
func (t *tree) fetchRoot() (map[string]string, error) {
	data, err := os.ReadFile(t.path())
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) putRoot(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(t.root, data, 0o600) // want `putRoot truncates t.root before it is written`
}

// Of two lists neither is told.
func (t *tree) keep(deep bool, m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	parts := []string{t.root}
	if deep {
		parts = append(parts, "deep")
	}
	return os.WriteFile(filepath.Join(append(parts, "state.json")...), data, 0o600) // want `keep truncates parts/state.json before it is written`
}

// What a loop appends is not known.
func split(dir, name string) string {
	parts := []string{dir}
	for _, p := range strings.Split(name, "/") {
		parts = append(parts, p)
	}
	return filepath.Join(parts...)
}

func (t *tree) weigh() (map[string]string, error) {
	data, err := os.ReadFile(split(t.root, "rows"))
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) emit(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.root, "rows"), data, 0o600) // ok: weigh may read any file
}

// What is put into the list later is not what it was made of.
func (t *tree) changed() string {
	parts := []string{t.root, "rows", "old"}
	parts[2] = "new"
	return filepath.Join(parts...)
}

func (t *tree) inspect() (map[string]string, error) {
	data, err := os.ReadFile(t.changed())
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) drain(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.root, "rows", "old"), data, 0o600) // ok: inspect reads another one
}

// A part of a list is not the list, and a list that is sorted is another.
func (t *tree) tail() string {
	parts := []string{"a", t.root, "tail"}
	return filepath.Join(parts[1:]...)
}

func (t *tree) sorted() string {
	parts := []string{t.root, "order"}
	slices.Reverse(parts)
	return filepath.Join(parts...)
}

func (t *tree) measure() (map[string]string, error) {
	data, err := os.ReadFile(t.tail())
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) compare() (map[string]string, error) {
	data, err := os.ReadFile(t.sorted())
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func (t *tree) spill(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join("a", t.root, "tail"), data, 0o600); err != nil { // ok: measure reads another one
		return err
	}
	return os.WriteFile(filepath.Join(t.root, "order"), data, 0o600) // ok: compare reads another one
}
