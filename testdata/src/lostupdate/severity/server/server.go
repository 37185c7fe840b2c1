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

// record is given an error, which it reads behind the lock.
func record(path, text string, err error) error {
	data, failed := os.ReadFile(path)
	if failed != nil {
		return failed
	}
	var n notes
	if failed := json.Unmarshal(data, &n); failed != nil {
		return failed
	}
	if err != nil {
		text += ": " + err.Error()
	}
	n.Texts = append(n.Texts, text)
	if data, failed = json.Marshal(n); failed != nil {
		return failed
	}
	return safeio.WriteFile(path, data, 0o600) /* error */ // want `record loads path, changes it and saves it with no lock`
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
	return safeio.WriteFile(path, data, 0o600) /* note */ // want `choose loads path, changes it and saves it with no lock`
}

// show answers with the settings, and writes something else.
func (p *page) show(w http.ResponseWriter, _ *http.Request) {
	if err := json.NewEncoder(w).Encode(settings{}); err != nil {
		return
	}
	if err := safeio.WriteFile(p.path+".seen", []byte("now"), 0o600); err != nil {
		return
	}
}
