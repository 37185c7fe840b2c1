package quiet

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

type kiosk struct{ dir string }

// remember is best effort: nobody asks whether it worked.
func (k *kiosk) remember(settings any) {
	data, err := json.Marshal(settings)
	if err != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(k.dir, "settings.json"), data, 0o600) // ok: its error is dropped
}

func (k *kiosk) insist(settings any) {
	data, err := json.Marshal(settings)
	if err != nil {
		return
	}
	if err := os.WriteFile(filepath.Join(k.dir, "settings.json"), data, 0o600); err != nil { // want `\(\*kiosk\)\.insist truncates k\.dir/settings\.json`
		log.Print(err)
	}
}

// serve hands a directory to somebody and takes it away again.
func (k *kiosk) serve(settings any, use func(dir string) error) error {
	dir := filepath.Join(k.dir, "guest")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600); err != nil { // ok: gone with its directory
		return err
	}
	return use(dir)
}

type disk interface {
	WriteFile(name string, data []byte, perm os.FileMode) error
}

type realDisk struct{ root string }

func (d realDisk) WriteFile(name string, data []byte, perm os.FileMode) error {
	return os.WriteFile(filepath.Join(d.root, name), data, perm) // ok: whoever calls it knows
}

type memory struct{}

func (memory) WriteFile(string, []byte, os.FileMode) error { return nil }

func saveTo(d disk, settings any) error {
	data, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return d.WriteFile("settings.json", data, 0o600) // want `rewrites d.root/settings.json in place through \(realDisk\).WriteFile`
}

func onDisk(root string, settings any) error { return saveTo(realDisk{root}, settings) }

// A run keeps its files in a directory of its own, which it has made.
type run struct{ dir string }

func newRun() (*run, error) {
	dir, err := os.MkdirTemp("", "run")
	return &run{dir}, err
}

func (r *run) load() (settings map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "settings.json"))
	if err != nil {
		return nil, err
	}
	return settings, json.Unmarshal(data, &settings)
}

func (r *run) save(settings map[string]string) error {
	data, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, "settings.json"), data, 0o600) // ok: nobody else has the directory
}
