// Package callers saves copies: of one object while it serves, of another whenever its callers ask.
package callers

import (
	"encoding/json"
	"net/http"
	"os"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A Served is saved by each request.
type Served struct {
	mu     sync.Mutex
	path   string
	tokens map[string]string
}

func (s *Served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.put(r.FormValue("name"), r.FormValue("token")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *Served) put(name, token string) error {
	s.mu.Lock()
	s.tokens[name] = token
	data, err := json.Marshal(s.tokens)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path, data, 0o600) /* error */ // want `put encodes s.tokens under s.mu`
}

func (s *Served) load() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.tokens)
}

// A Recent is saved when somebody asks for it.
type Recent struct {
	mu    sync.Mutex
	path  string
	names []string
}

// Put is for callers of which the package knows nothing.
func (r *Recent) Put(name string) error {
	r.mu.Lock()
	r.names = append(r.names, name)
	data, err := json.Marshal(r.names)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return safeio.WriteFile(r.path, data, 0o600) /* warning */ // want `Put encodes r.names under r.mu`
}

func (r *Recent) load() error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.names)
}

var _, _ = (*Served).load, (*Recent).load
