package quiet

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type workflow struct {
	Session string
	Paused  bool
	Stages  []string
}

type workflows struct{ dir string }

func (s *workflows) path(session string) string { return filepath.Join(s.dir, session+".json") }

// Load makes a workflow of its file.
func (s *workflows) Load(session string) (*workflow, error) {
	data, err := os.ReadFile(s.path(session))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var w workflow
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, err
	}
	return &w, nil
}

// Save writes what it is given.
func (s *workflows) Save(w *workflow) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path(w.Session), data, 0o600)
}

// Pause is called with a workflow that has just been started.
func (s *workflows) Pause(w *workflow) error {
	w.Paused = true
	return s.Save(w)
}

// Record is, too.
func (s *workflows) Record(w *workflow, stage string) error {
	w.Stages = append(w.Stages, stage)
	return s.Save(w)
}

// openWorkflows stands in the same place for every process.
func openWorkflows() (*workflows, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	return &workflows{filepath.Join(home, ".config", "agent", "workflows")}, nil
}
