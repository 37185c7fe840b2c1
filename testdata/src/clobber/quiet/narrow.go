package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// living yields the instances whose process lives.
func living(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	instances := map[string]int{}
	if err := json.Unmarshal(data, &instances); err != nil {
		return nil, err
	}
	for name, process := range instances {
		if syscall.Kill(process, 0) != nil {
			delete(instances, name)
		}
	}
	return instances, nil
}

// enter begins anew where no list of instances can be had.
func enter(dir, name string) error {
	path := statePath(dir, "instances")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	instances, err := living(path)
	if err != nil {
		instances = map[string]int{}
	}
	instances[name] = os.Getpid()
	data, err := json.Marshal(instances)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// current is the one text of a file.
func current(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(data)), nil
}

// next goes on with another one.
func next(dir string, after func(string) string) error {
	path := filepath.Join(dir, "current-session")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	name, err := current(path)
	if err != nil {
		name = "first"
	}
	return replace(path, []byte(after(name)))
}

// title decodes one text.
func title(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return "", err
	}
	return text, nil
}

// entitle puts another one in its place.
func entitle(dir string, better func(string) string) error {
	path := statePath(dir, "title")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := title(path)
	if err != nil {
		old = "untitled"
	}
	data, err := json.Marshal(better(old))
	if err != nil {
		return err
	}
	return replace(path, data)
}

// bumpAll may write another file than it has read, as far as can be told.
func bumpAll(find func(int) string) error {
	for i := range 9 {
		path := find(i)
		unlock, err := lock(path)
		if err != nil {
			return err
		}
		s, err := load(path)
		if err != nil {
			s = &state{}
		}
		s.N++
		err = save(path, s)
		unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
