// Package aside has files of which something is left after a crash, or on which no program relies.
package aside

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type settings struct{ Hooks map[string]string }

func load(dir string) (*settings, error) {
	data, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		return nil, err
	}
	var s settings
	return &s, json.Unmarshal(data, &s)
}

// correct has the old content in another file.
func correct(dir string) error {
	path := filepath.Join(dir, "settings.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".bak", data, 0o600); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "old", "new")), 0o600) /* warning note */ // want `correct truncates dir/settings\.json` `correct loads dir/settings\.json`
}

// save has nothing but the file.
func save(dir string, s *settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) /* error */ // want `save truncates dir/settings\.json`
}

// count counts in a file that a reboot removes.
func count(session, what string) error {
	path, all := fmt.Sprintf("/tmp/guard-%s.json", session), map[string]int{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &all); err != nil {
			return err
		}
	}
	all[what]++
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) /* warning note */ // want `count truncates /tmp/guard-` `count loads /tmp/guard-`
}

// finish hands the result of a run to whoever has started it.
func finish(dir string, s *settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "result.json"), data, 0o600) /* warning */ // want `finish truncates dir/result\.json`
}

func finished(dir string) (*settings, error) {
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil, err
	}
	var s settings
	return &s, json.Unmarshal(data, &s)
}

// keepMode keeps the mode of the file, and does not take its being there for its content.
func keepMode(dir string, s *settings) error {
	path, mode := filepath.Join(dir, "accounts.yaml"), os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, mode) /* warning */ // want `keepMode truncates dir/accounts\.yaml`
}
