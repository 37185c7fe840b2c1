package quiet

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

// allowPush has loaded the policy, and reads it again for its comments alone.
func allowPush(dir string) error {
	path := filepath.Join(dir, "policy.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := loadPolicy(path)
	if err != nil {
		return err
	}
	p.Push = true
	text := ""
	if data, err := os.ReadFile(path); err == nil {
		text = strings.Replace(string(data), "false", "true", 1)
	}
	if text == "" {
		data, err := json.Marshal(p)
		if err != nil {
			return err
		}
		text = string(data)
	}
	return safeio.WriteFile(path, []byte(text), 0o600)
}
