// Package storage keeps the trajectories of a project: one file each for what
// an agent did and why, and index.json, by which they are listed and found.
package storage

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Trajectory is the record of one agent's work on one task.
type Trajectory struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Agent     string    `json:"agent"`
	Workflow  string    `json:"workflow,omitempty"`
	Status    string    `json:"status"`
	StartedAt time.Time `json:"started_at"`
	Summary   string    `json:"summary,omitempty"`
	Decisions []string  `json:"decisions,omitempty"`
}

// NewTrajectory returns an active trajectory with an identifier of its own.
func NewTrajectory(title, agent, workflow string) *Trajectory {
	return &Trajectory{
		ID:        "traj_" + rand.Text()[:12],
		Title:     title,
		Agent:     agent,
		Workflow:  workflow,
		Status:    "active",
		StartedAt: time.Now().UTC(),
	}
}

// FileStorage keeps trajectories in a directory.
type FileStorage struct {
	dir       string
	indexPath string
}

// Open returns the storage in dir, which is made when it does not exist.
func Open(dir string) (*FileStorage, error) {
	if err := os.MkdirAll(filepath.Join(dir, "trajectories"), 0o755); err != nil {
		return nil, err
	}
	return &FileStorage{dir: dir, indexPath: filepath.Join(dir, "index.json")}, nil
}

// Save stores a trajectory and enters it in the index.
func (s *FileStorage) Save(t *Trajectory) error {
	path := filepath.Join(s.dir, "trajectories", t.ID+".json")
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode trajectory %s: %w", t.ID, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	return s.updateIndex(t, path)
}

// Load reads the trajectory that the index has under id.
func (s *FileStorage) Load(id string) (*Trajectory, error) {
	index, err := s.loadIndex()
	if err != nil {
		return nil, err
	}
	entry, ok := index.Trajectories[id]
	if !ok {
		return nil, fmt.Errorf("no trajectory %s", id)
	}
	data, err := os.ReadFile(entry.Path)
	if err != nil {
		return nil, err
	}
	var t Trajectory
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("decode trajectory %s: %w", id, err)
	}
	return &t, nil
}
