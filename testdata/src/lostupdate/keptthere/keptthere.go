// Package keptthere has objects that are loaded when somebody first asks for them.
package keptthere

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// A roomStore is at work as long as the server is.
type roomStore struct {
	path  string
	Rooms map[string]string
}

func newRoomStore(path string) (*roomStore, error) {
	s := &roomStore{path: path}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return s, json.Unmarshal(data, s)
}

func (s *roomStore) save() error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, data, 0o600) // want `save truncates s.path`
}

type building struct {
	mu    sync.Mutex
	dir   string
	known map[string]*roomStore
	main  *roomStore
	annex *roomStore
}

// rooms loads those of a floor when somebody first asks for them.
func (b *building) rooms(floor string) (*roomStore, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.known[floor]; s != nil {
		return s, nil
	}
	s, err := newRoomStore(filepath.Join(b.dir, "floors", "rooms-of-"+floor+".json"))
	if err == nil {
		b.known[floor] = s
	}
	return s, err
}

// lobby loads one as well, and keeps it in a field.
func (b *building) lobby() (*roomStore, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.main != nil {
		return b.main, nil
	}
	s, err := newRoomStore(filepath.Join(b.dir, "lobby.json"))
	if err != nil {
		return nil, err
	}
	b.main = s
	return s, nil
}

// fresh loads one each time.
func (b *building) fresh() (*roomStore, error) {
	s, err := newRoomStore(filepath.Join(b.dir, "annex.json"))
	b.annex = s
	return s, err
}

func (b *building) rename(floor, room, name string) error {
	s, err := b.rooms(floor)
	if err != nil {
		return err
	}
	s.Rooms[room] = name
	return s.save() // ok: the next call changes the same object
}

func (b *building) open(room string) error {
	s, err := b.lobby()
	if err != nil {
		return err
	}
	s.Rooms[room] = "open"
	return s.save() // ok
}

func (b *building) extend(room string) error {
	s, err := b.fresh()
	if err != nil {
		return err
	}
	s.Rooms[room] = "new"
	return s.save() // want `extend loads`
}
