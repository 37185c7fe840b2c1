package copied

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Tokens are the tokens of the user, in a file of their own.
type Tokens struct {
	mu     sync.RWMutex
	path   string
	tokens map[string]string
}

func (t *Tokens) load() error {
	data, err := os.ReadFile(t.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &t.tokens)
}

// Get uses the same mutex.
func (t *Tokens) Get(host string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	token, ok := t.tokens[host]
	return token, ok
}

// Set writes a copy that can be older than what is in the file by then.
func (t *Tokens) Set(host, token string) error {
	t.mu.Lock()
	t.tokens[host] = token
	snapshot := maps.Clone(t.tokens)
	t.mu.Unlock()
	return t.write(snapshot) // want `\(\*Tokens\).Set copies t.tokens under t.mu and writes it to t.path after it has released it: who saves in between is overwritten with an older state`
}

// Delete returns early where there is nothing to do.
func (t *Tokens) Delete(host string) error {
	t.mu.Lock()
	if _, ok := t.tokens[host]; !ok {
		t.mu.Unlock()
		return nil
	}
	delete(t.tokens, host)
	snapshot := maps.Clone(t.tokens)
	t.mu.Unlock()
	return t.write(snapshot) // want `\(\*Tokens\).Delete copies t.tokens`
}

func (t *Tokens) write(tokens map[string]string) error {
	data, err := json.MarshalIndent(tokens, "", "  ")
	if err != nil {
		return err
	}
	return replace(t.path, data)
}

// Alarms have a mutex for the write alone, which is taken too late.
type Alarms struct {
	mu      sync.Mutex
	writing sync.Mutex
	dir     string
	alarms  []Alarm
}

type Alarm struct {
	ID   int
	Text string
}

func (a *Alarms) load() error {
	data, err := os.ReadFile(filepath.Join(a.dir, "alarms.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &a.alarms)
}

func (a *Alarms) Add(text string) error {
	a.mu.Lock()
	a.alarms = append(a.alarms, Alarm{len(a.alarms), text})
	snap := append([]Alarm(nil), a.alarms...)
	a.mu.Unlock()
	return a.persist("alarms.json", snap) // want `\(\*Alarms\).Add copies a.alarms under a.mu and writes it to a.dir/alarms.json`
}

func (a *Alarms) persist(name string, v any) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replace(filepath.Join(a.dir, name), data)
}

// Reset has the second mutex at hand, and takes it too late as well.
func (a *Alarms) Reset() error {
	a.mu.Lock()
	a.alarms = a.alarms[:0]
	snap := slices.Clone(a.alarms)
	a.mu.Unlock()
	a.writing.Lock()
	defer a.writing.Unlock()
	data, err := json.Marshal(snap)
	if err != nil {
		return err
	}
	return replace(filepath.Join(a.dir, "alarms.json"), data) // want `\(\*Alarms\).Reset copies a.alarms under a.mu`
}

// list gives a copy, so that the lock is let go of before save has it.
func (a *Alarms) list() []Alarm {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Alarm, len(a.alarms))
	copy(list, a.alarms)
	return list
}

func (a *Alarms) drop(id int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alarms = slices.DeleteFunc(a.alarms, func(o Alarm) bool { return o.ID == id })
}

func (a *Alarms) Remove(id int) error {
	a.drop(id)
	alarms := a.list()
	return a.persist("alarms.json", alarms) // want `\(\*Alarms\).Remove copies a.alarms`
}

// Sessions are written to a file each.
type Sessions struct {
	mu       sync.RWMutex
	dir      string
	sessions map[string]*Session
}

type Session struct {
	Key      string    `json:"key"`
	Messages []Message `json:"messages"`
}

type Message struct{ Role, Content string }

func (s *Sessions) Add(key string, m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.sessions[key]
	if !ok {
		session = &Session{Key: key}
		s.sessions[key] = session
	}
	session.Messages = append(session.Messages, m)
}

// Save is called by whoever has added a message.
func (s *Sessions) Save(key string) error {
	s.mu.RLock()
	stored, ok := s.sessions[key]
	if !ok {
		s.mu.RUnlock()
		return nil
	}
	snapshot := Session{Key: stored.Key}
	snapshot.Messages = make([]Message, len(stored.Messages))
	copy(snapshot.Messages, stored.Messages)
	s.mu.RUnlock()

	data, err := json.MarshalIndent(snapshot, "", "  ")
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(key, ":", "_") + ".json"
	return replace(filepath.Join(s.dir, name), data) // want `\(\*Sessions\).Save copies s.sessions`
}

func (s *Sessions) loadAll() error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(s.dir, f.Name()))
		if err != nil {
			continue
		}
		var session Session
		if json.Unmarshal(data, &session) == nil {
			s.sessions[session.Key] = &session
		}
	}
	return nil
}

// The state of the package has a mutex of the package.
var (
	seenMu sync.Mutex
	seen   = map[string]bool{}
)

func loadSeen() error {
	data, err := os.ReadFile("seen.json")
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &seen)
}

func Seen(id string) bool {
	seenMu.Lock()
	defer seenMu.Unlock()
	return seen[id]
}

func MarkSeen(id string) error {
	seenMu.Lock()
	seen[id] = true
	ids := slices.Collect(maps.Keys(seen))
	seenMu.Unlock()
	data, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return replace("seen.json", data) // want `MarkSeen copies seen under seenMu and writes it to seen.json`
}
