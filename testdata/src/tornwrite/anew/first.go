package anew

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

type layout struct{ Columns []string }

func loadLayout(dir string) (*layout, error) {
	data, err := os.ReadFile(filepath.Join(dir, "layout.json"))
	if err != nil {
		return nil, err
	}
	l := &layout{}
	return l, json.Unmarshal(data, l)
}

// firstLayout writes what it is given, where there is none. A torn one is taken for there.
func firstLayout(dir string, l *layout) error {
	path := filepath.Join(dir, "layout.json")
	_, err := os.Stat(path)
	if os.IsNotExist(err) {
		data, err := json.Marshal(l)
		if err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o600) // want `firstLayout truncates dir/layout.json`
	}
	return err
}

var env = template.Must(template.New("env").Parse("{{range .}}{{.}}\n{{end}}"))

// setEnv renders what the file holds with a line more.
func setEnv(dir, line string) error {
	path := filepath.Join(dir, "project.env")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := append(strings.Split(string(data), "\n"), line)
	f, err := os.Create(path) // want `setEnv truncates dir/project.env`
	if err != nil {
		return err
	}
	if err := env.Execute(f, lines); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
