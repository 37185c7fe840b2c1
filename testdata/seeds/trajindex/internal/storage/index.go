package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

// Index lists the trajectories of a storage.
type Index struct {
	Version      int              `json:"version"`
	LastUpdated  time.Time        `json:"last_updated"`
	Trajectories map[string]Entry `json:"trajectories"`
}

// Entry is what the index knows of a trajectory.
type Entry struct {
	Title       string     `json:"title"`
	Agent       string     `json:"agent"`
	Workflow    string     `json:"workflow,omitempty"`
	Status      string     `json:"status"`
	StartedAt   time.Time  `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	Summary     string     `json:"summary,omitempty"`
	Path        string     `json:"path"`
}

// Listed is an entry with its identifier.
type Listed struct {
	ID string
	Entry
}

// List returns the indexed trajectories in the order of their beginning.
func (s *FileStorage) List() ([]Listed, error) {
	index, err := s.loadIndex()
	if err != nil {
		return nil, err
	}
	var list []Listed
	for id, entry := range index.Trajectories {
		list = append(list, Listed{id, entry})
	}
	slices.SortFunc(list, func(a, b Listed) int {
		if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Complete marks a trajectory as completed.
func (s *FileStorage) Complete(id string) error {
	index, err := s.loadIndex()
	if err != nil {
		return err
	}
	entry, ok := index.Trajectories[id]
	if !ok {
		return fmt.Errorf("no trajectory %s", id)
	}
	now := time.Now().UTC()
	entry.Status = "completed"
	entry.CompletedAt = &now
	index.Trajectories[id] = entry
	return s.replaceIndex(index)
}

// updateIndex enters t, whose file is at path.
func (s *FileStorage) updateIndex(t *Trajectory, path string) error {
	index, err := s.loadIndex()
	if err != nil {
		return err
	}
	index.Trajectories[t.ID] = Entry{
		Title:     t.Title,
		Agent:     t.Agent,
		Workflow:  t.Workflow,
		Status:    t.Status,
		StartedAt: t.StartedAt,
		Summary:   t.Summary,
		Path:      path,
	}
	return s.saveIndex(index)
}

// loadIndex reads the index. The trajectories can be used without one, so an
// index that cannot be decoded is reported and begun again.
func (s *FileStorage) loadIndex() (*Index, error) {
	index := &Index{Version: 1, Trajectories: map[string]Entry{}}
	data, err := os.ReadFile(s.indexPath)
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, index); err != nil {
		log.Printf("cannot decode %s: %v; using an empty index", s.indexPath, err)
		return &Index{Version: 1, Trajectories: map[string]Entry{}}, nil
	}
	return index, nil
}

// saveIndex writes the index.
func (s *FileStorage) saveIndex(index *Index) error {
	index.LastUpdated = time.Now().UTC()
	data, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return fmt.Errorf("encode index: %w", err)
	}
	return os.WriteFile(s.indexPath, data, 0o644)
}

// replaceIndex writes the index to a temporary file and renames it.
func (s *FileStorage) replaceIndex(index *Index) error {
	index.LastUpdated = time.Now().UTC()
	data, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return fmt.Errorf("encode index: %w", err)
	}
	tmp := s.indexPath + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, s.indexPath)
}
