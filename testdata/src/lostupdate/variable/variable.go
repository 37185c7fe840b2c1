// Package variable keeps what its files hold in variables.
package variable

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type project struct {
	Root  string
	Ports []string
}

var projects map[string]*project

func listPath() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".tool", "projects.json")
}

// Start is called when a command begins.
func Start() error {
	b, err := os.ReadFile(listPath())
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &projects)
}

func writeList(list map[string]*project) error {
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return replace(listPath(), b)
}

// Reserve changes what Start has loaded, whenever that was.
func Reserve(name string, ports []string) error {
	projects[name] = &project{Ports: ports}
	return writeList(projects) // want `Reserve changes variable.projects and saves it as another function has loaded it before: what another process has saved since is lost`
}

// drop is led to behind a load alone, and reported there.
func drop(name string) error {
	delete(projects, name)
	return writeList(projects)
}

func Forget(name string) error {
	if err := Start(); err != nil {
		return err
	}
	return drop(name) // want `Forget loads .*projects.json, changes it and saves it with no lock`
}

// Show saves what it has not changed.
func Show() error { return writeList(projects) }

var report struct{ Lines []string }

// Collect loads and adds to what stands where it is told to: nobody else finds that.
func Collect(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &report)
}

func Note(path, line string) error {
	report.Lines = append(report.Lines, line)
	b, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return replace(path, b)
}

func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
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
	return os.Rename(f.Name(), path)
}
