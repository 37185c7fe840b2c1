// Package server keeps notes that a page and commands add to.
package server

import (
	"encoding/json"
	"net/http"
	"os"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type notes struct {
	Texts []string
}

type settings struct {
	Theme []string
}

type page struct {
	mu    sync.Mutex
	path  string
	notes notes
}

// add has them in memory, and saves them for the next start.
func (p *page) add(_ http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes.Texts = append(p.notes.Texts, r.FormValue("text"))
	data, err := json.Marshal(p.notes)
	if err != nil {
		return
	}
	if err := safeio.WriteFile(p.path, data, 0o600); err != nil {
		return
	}
}

func note(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var n notes
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	n.Texts = append(n.Texts, text)
	if data, err = json.Marshal(n); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) /* error */ // want `note loads path, changes it and saves it with no lock`
}

// choose saves what no page saves.
func choose(path, theme string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s settings
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	s.Theme = append(s.Theme, theme)
	if data, err = json.Marshal(s); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) /* warning */ // want `choose loads path, changes it and saves it with no lock`
}
