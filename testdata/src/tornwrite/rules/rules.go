// Package rules has, for rules that no other fixture needs, a place about which nothing but
// that rule is silent.
package rules

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

func encoded(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

func saveCatalog(from, dir string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(filepath.Join(dir, "catalog.json")) // ok: a copy
	if err != nil {
		return err
	}
	defer dst.Close()
	_, err = io.Copy(dst, src)
	return err
}

func loadCatalog(path string) ([]byte, error) { return os.ReadFile(path) }

type probe struct{ sysfsDir string }

func (p *probe) arm(v any) error {
	return os.WriteFile(filepath.Join(p.sysfsDir, "state.json"), encoded(v), 0o600) // ok: the kernel's
}

func render(outDir string, v any) error {
	return os.WriteFile(filepath.Join(outDir, "state.json"), encoded(v), 0o600) // ok: asked for
}

func pass(v any) error {
	return os.WriteFile(filepath.Join(os.TempDir(), "state.json"), encoded(v), 0o600) // ok: temporary
}

func saveUnit(dir, user string) error {
	return os.WriteFile(filepath.Join(dir, "unit.conf"), []byte("[Unit]\nDescription=agent\n[Service]\nUser="+user+"\n"), 0o600) // ok: prose
}

func loadUnit(path string) ([]byte, error) { return os.ReadFile(path) }

func saveProxy(dir string, t *template.Template, v any) error {
	f, err := os.Create(filepath.Join(dir, "proxy.conf")) // ok: rendered
	if err != nil {
		return err
	}
	defer f.Close()
	return t.Execute(f, v)
}

func loadProxy(path string) ([]byte, error) { return os.ReadFile(path) }

// A disk is one of the file systems behind an interface.
type disk interface {
	WriteFile(name string, data []byte) error
}

type realDisk struct{ root string }

func (d realDisk) WriteFile(name string, data []byte) error {
	return os.WriteFile(filepath.Join(d.root, name), data, 0o600) // ok: whoever calls it knows
}

var _ disk = realDisk{}

func settle(root string, v any) error {
	return realDisk{root}.WriteFile("settings.json", encoded(v)) // want `rewrites root/settings.json in place through \(realDisk\).WriteFile`
}

func keepBackup(dir string, v any) error {
	return os.WriteFile(filepath.Join(dir, "session.bak"), encoded(v), 0o600) // ok: a backup
}

func show(dir string, v any) error {
	return os.WriteFile(filepath.Join(dir, "session.html"), encoded(v), 0o600) // ok: a document
}

func hand(dir string, v any) error {
	return os.WriteFile(filepath.Join(dir, "session.export"), encoded(v), 0o600) // ok: an output
}

func begin(dir string, v any) error {
	return os.WriteFile(filepath.Join(dir, "config.template"), encoded(v), 0o600) // ok: a scaffold
}

func splice(dir string, v any) error {
	path := filepath.Join(dir, "SessionStore.swift")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(string(old), "// generated")
	return os.WriteFile(path, append([]byte(head), encoded(v)...), 0o600) // ok: source code
}

func put(jsonPath string, v any) error {
	return os.WriteFile(jsonPath, encoded(v), 0o600) // want `put truncates jsonPath`
}

// move publishes what another program has written.
func move(dir, id string) error {
	f, err := os.Create(filepath.Join(dir, id))
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, id), filepath.Join(dir, "state.json")) // ok: nothing is written here
}

func writeState(path string, v any) error {
	f, err := os.Create(path) // ok: what is renamed is synced
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func saveState(dir, id string, v any) error {
	if err := writeState(filepath.Join(dir, id), v); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, id), filepath.Join(dir, "state.json"))
}

// expand yields the home of the user for ~ alone, which is no file.
func expand(path string) string {
	if path == "~" {
		return os.Getenv("HOME")
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	return path
}

func loadPlugins(path string) (v map[string]string, err error) {
	data, err := os.ReadFile(expand(path))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(data, &v)
}

type shells struct{ dir string }

func (s *shells) path(name string) string { return filepath.Join(s.dir, "workspace", name) }

func (s *shells) emit(name, text string) error {
	return os.WriteFile(expand(s.path(name)), []byte(text), 0o600) // ok: loadPlugins reads another file
}
