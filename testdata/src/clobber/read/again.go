package read

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/safeio"
)

type policy struct{ Push bool }

func loadPolicy(path string) (*policy, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &policy{}
	return p, json.Unmarshal(data, p)
}

// allowPush goes on whether it could load the policy or not.
func allowPush(dir string) error {
	path := filepath.Join(dir, "policy.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if p, err := loadPolicy(path); err == nil && p.Push {
		return nil
	}
	data, _ := os.ReadFile(path) // want `allowPush takes a file that cannot be read for an empty one, and saves that over dir/policy.json`
	return safeio.WriteFile(path, []byte(strings.Replace(string(data), "false", "true", 1)), 0o600)
}

// setPush loads the policy only where it does not write its text.
func setPush(dir string, show func(*policy)) error {
	path := filepath.Join(dir, "policy.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if show != nil {
		p, err := loadPolicy(path)
		if err != nil {
			return err
		}
		show(p)
		return nil
	}
	data, _ := os.ReadFile(path) // want `setPush takes a file that cannot be read for an empty one, and saves that over dir/policy.json`
	return safeio.WriteFile(path, []byte(strings.Replace(string(data), "true", "false", 1)), 0o600)
}
