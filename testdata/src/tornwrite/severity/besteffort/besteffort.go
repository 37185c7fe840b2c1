// Package besteffort saves some files whether that works or not.
package besteffort

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

type settings struct{ Model string }

func load(dir string) (s settings, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// keep does not look whether it was saved.
func keep(dir string, s settings) {
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) /* warning */ // want `keep truncates dir/settings.json`
}

// save does.
func save(dir string, s settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) /* error */ // want `save truncates dir/settings.json`
}

type session struct{ Token string }

func loadSession(dir string) (s session, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "credentials.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// keepSession keeps a secret, which nobody can make again.
func keepSession(dir string, s session) {
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(dir, "credentials.json"), data, 0o600) /* error */ // want `keepSession truncates dir/credentials.json`
}

// note puts a job behind those that there are, under the lock.
func note(dir, job string) {
	path := filepath.Join(dir, "jobs.json")
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var jobs []string
	if err := json.Unmarshal(data, &jobs); err != nil {
		return
	}
	if data, err = json.Marshal(append(jobs, job)); err != nil {
		return
	}
	_ = os.WriteFile(path, data, 0o600) /* error */ // want `note truncates dir/jobs.json`
}
