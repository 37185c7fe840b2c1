package refused

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

type settings struct {
	Hooks []string
	N     int
}

func load(path string) (*settings, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s settings
	return &s, json.Unmarshal(data, &s)
}

func save(path string, s *settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

func settingsFile(dir string) string { return filepath.Join(dir, "settings.json") }

// count has nobody to tell that the lock is not to be had.
func count(dir string) {
	s, err := load(settingsFile(dir))
	if err != nil {
		return
	}
	s.N++
	save(settingsFile(dir), s) // want `count loads dir/settings.json.*no fix: the function returns no error that could say`
}

// countAll would hold the lock of each until the last is done.
func countAll(dirs []string) error {
	for _, dir := range dirs {
		s, err := load(settingsFile(dir))
		if err != nil {
			return err
		}
		s.N++
		if err := save(settingsFile(dir), s); err != nil { // want `countAll loads .*no fix: the file is loaded in a loop`
			return err
		}
	}
	return nil
}

var mu sync.Mutex

// manual would keep the mutex.
func manual(dir string) error {
	mu.Lock()
	path := settingsFile(dir)
	s, err := load(path)
	if err != nil {
		mu.Unlock()
		return err
	}
	s.N++
	err = save(path, s) // want `manual loads .*no fix: the function lets go of something later`
	mu.Unlock()
	return err
}

// Edit does not know what its caller does under the lock.
func Edit(dir string, change func(*settings)) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	change(s)
	return save(settingsFile(dir), s) // want `Edit loads .*no fix: it calls a function that it is given, which may want the same lock`
}

// run starts a program that may edit the settings.
func run(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	for _, hook := range s.Hooks {
		if err := exec.Command(hook).Run(); err != nil {
			return err
		}
	}
	s.N++
	return save(settingsFile(dir), s) // want `run loads .*no fix: it starts a program, which may want the same lock`
}

// inner has a lock of its own when it is mended, which outer would wait for.
func inner(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	s.N++
	return save(settingsFile(dir), s) // want `inner loads dir/settings.json`
}

func outer(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	if err := inner(dir); err != nil {
		return err
	}
	s.Hooks = nil
	return save(settingsFile(dir), s) // want `outer loads .*no fix: a function that it calls does the same, and waits for the same lock`
}

// again calls itself.
func again(dir string, n int) error {
	s, err := load(settingsFile(dir))
	if err != nil || n == 0 {
		return err
	}
	s.N++
	if err := again(dir, n-1); err != nil {
		return err
	}
	return save(settingsFile(dir), s) // want `again loads .*no fix: the function calls itself, and would wait for itself`
}

// chosen finds its directory after it has looked around.
func chosen(names []string) error {
	var s *settings
	var path string
	for _, name := range names {
		path = settingsFile(name)
		if found, err := load(path); err == nil {
			s = found
			break
		}
	}
	if s == nil {
		return os.ErrNotExist
	}
	s.N++
	return save(path, s) // want `chosen loads .*no fix: the file is loaded in a loop`
}

// command counts, too, and has no name.
var command = struct{ run func(dir string) }{func(dir string) {
	s, err := load(settingsFile(dir))
	if err != nil {
		return
	}
	s.N++
	save(settingsFile(dir), s) // want `a function literal loads dir/settings.json.*no fix: the function returns no error that could say`
}}
