package inplace

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// A cabinet takes every file in its directory for a drawer: a temporary file
// among them would be one, too.
type cabinet string

func (c cabinet) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(c), name), data, 0o600) // want `\(cabinet\)\.putConfig truncates c/name .* \(no fix: \(cabinet\)\.drawers lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

func (c cabinet) drawers() ([]any, error) {
	entries, err := os.ReadDir(string(c))
	if err != nil {
		return nil, err
	}
	var all []any
	for _, e := range entries {
		var v any
		data, err := os.ReadFile(filepath.Join(string(c), e.Name()))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

type dresser struct{ dir string }

func (d *dresser) put(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, name+".json"), data, 0o600) // want `\(\*dresser\)\.put truncates d\.dir/name\.json`
}

func (d *dresser) drawers() ([]string, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

type locker struct{ dir, prefix string }

func (l *locker) put(config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, l.prefix+".json"), data, 0o600) // want `\(\*locker\)\.put truncates l\.dir/l\.prefix\.json .* \(no fix: \(\*locker\)\.all lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

// all asks for a beginning that might be any.
func (l *locker) all() ([]string, error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), l.prefix) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

type hamper struct{ dir string }

func (h *hamper) put(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.dir, "config-"+name), data, 0o600) // want `\(\*hamper\)\.put truncates h\.dir/config-{name}`
}

func (h *hamper) all() ([]string, error) {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "config-") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

type shelf string

func (s shelf) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(s), name), data, 0o600) // want `\(shelf\)\.putConfig truncates s/name .* \(no fix: \(shelf\)\.all lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

// all lists the directory when somebody goes through what it yields.
func (s shelf) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		entries, _ := os.ReadDir(string(s))
		for _, e := range entries {
			if !yield(e.Name()) {
				return
			}
		}
	}
}

// A wing has rooms, each a directory.
type wing struct{ dir string }

func (w *wing) put(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, name+".json"), data, 0o600) // want `\(\*wing\)\.put truncates w\.dir/name\.json before`
}

func (w *wing) rooms() ([]string, error) {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "attic" {
			continue
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// A shed has tools, each a file.
type shed struct{ dir string }

func (s *shed) put(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, name+".json"), data, 0o600) // want `\(\*shed\)\.put truncates s\.dir/name\.json .* \(no fix: \(\*shed\)\.tools lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

func (s *shed) tools() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// A message names by its fields the directory that its list is told by.
type message struct {
	Room, ID string
	Text     string
}

func messagesDir(room string) string { return filepath.Join("/var/lib/agentd/rooms", room, "messages") }

func postMessage(m *message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(messagesDir(m.Room), m.ID+".json"), data, 0o600) // want `postMessage truncates .* \(no fix: messages lists the directory and would meet temporary files there: have it skip names that begin with .safeio-\)`
}

func messages(room string) ([]message, error) {
	entries, err := os.ReadDir(messagesDir(room))
	if err != nil {
		return nil, err
	}
	list := make([]message, len(entries))
	for i, e := range entries {
		data, err := os.ReadFile(filepath.Join(messagesDir(room), e.Name()))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// A rack lists files of one extension, and all where there is none.
type rack struct{ dir, ext string }

func (r rack) all() (names []string, err error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if r.ext == "" || filepath.Ext(e.Name()) == r.ext {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (r rack) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, name), data, 0o600) // want `\(rack\)\.putConfig truncates r.dir/name .* \(no fix: \(rack\)\.all lists the directory and would meet temporary files there`
}
