package unlocked

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// gate is what a hook remembers between the processes that it runs as.
type gate struct {
	Checked []string `json:"checked"`
	Active  int64    `json:"active"`
}

func gateFile(session string) string {
	return filepath.Join(os.Getenv("AGENT_HOME"), "gates", session+".json")
}

func loadGate(session string) (*gate, error) {
	data, err := os.ReadFile(gateFile(session))
	if errors.Is(err, fs.ErrNotExist) {
		return &gate{}, nil
	}
	if err != nil {
		return nil, err
	}
	var g gate
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("gate of %s: %w", session, err)
	}
	return &g, nil
}

func saveGate(session string, g *gate) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return replace(gateFile(session), data)
}

// markChecked is run by every tool call, each a process.
func markChecked(session, key string) error {
	g, err := loadGate(session)
	if err != nil {
		return err
	}
	if slices.Contains(g.Checked, key) {
		return nil
	}
	g.Checked = append(g.Checked, key)
	return saveGate(session, g) // want `markChecked loads \$AGENT_HOME/gates/session.json, changes it and saves it with no lock: what another process saves in between is lost`
}

// forget writes what it has filtered out of what was there.
func forget(session, prefix string) error {
	g, err := loadGate(session)
	if err != nil {
		return err
	}
	kept := &gate{Active: g.Active}
	for _, key := range g.Checked {
		if !strings.HasPrefix(key, prefix) {
			kept.Checked = append(kept.Checked, key)
		}
	}
	return saveGate(session, kept) // want `forget loads`
}

// enable does all of it itself, on a document whose form it does not know.
func enable(dir, feature string) error {
	path := filepath.Join(dir, ".agent", "settings.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	settings := map[string]any{}
	if err := json.Unmarshal(data, &settings); err != nil {
		return err
	}
	settings[feature] = true
	out, err := json.MarshalIndent(settings, "", "\t")
	if err != nil {
		return err
	}
	return replace(path, out) // want `enable loads dir/.agent/settings.json`
}

// edit lends what it has loaded to its caller.
func edit(session string, change func(*gate) error) error {
	g, err := loadGate(session)
	if err != nil {
		return err
	}
	if err := change(g); err != nil {
		return err
	}
	return saveGate(session, g) // want `edit loads`
}

func touch(session string, now int64) error {
	return edit(session, func(g *gate) error {
		g.Active = now
		return nil
	})
}

// A mailbox keeps between its methods what it has loaded.
type mailbox struct {
	path     string
	messages []message
}

type message struct {
	ID   string
	Read bool
}

func (m *mailbox) load() error {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &m.messages)
}

func (m *mailbox) save() error {
	data, err := json.Marshal(m.messages)
	if err != nil {
		return err
	}
	return replace(m.path, data)
}

func (m *mailbox) markRead(id string) error {
	if err := m.load(); err != nil {
		return err
	}
	for i := range m.messages {
		if m.messages[i].ID == id {
			m.messages[i].Read = true
		}
	}
	return m.save() // want `\(\*mailbox\).markRead loads m.path`
}

// locked by nothing but the one half of its callers that saves.
func (m *mailbox) drop(id string) error {
	if err := m.load(); err != nil {
		return err
	}
	return m.keep(func(msg message) bool { return msg.ID != id }) // want `\(\*mailbox\).drop loads m.path`
}

func (m *mailbox) keep(ok func(message) bool) error {
	m.messages = slices.DeleteFunc(m.messages, func(msg message) bool { return !ok(msg) })
	return m.save()
}

// A server is alone in its directory, and takes that for a lock of all that it saves.
func serve(dir string) error {
	unlock, err := lockDir(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := lapse("main"); err != nil {
		return err
	}
	for {
		time.Sleep(time.Minute)
	}
}

// lapse is not the only one to save a gate.
func lapse(session string) error {
	g, err := loadGate(session)
	if err != nil {
		return err
	}
	g.Active--
	return saveGate(session, g) // want `lapse loads`
}

func lockDir(dir string) (func(), error) {
	f, err := os.OpenFile(filepath.Join(dir, "server.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// setActive tells what it has made of the gate, which nothing in that asked for.
func setActive(session string) (*gate, error) {
	g, err := loadGate(session)
	if err != nil {
		return nil, err
	}
	g.Active = 1
	return g, saveGate(session, g) // want `setActive loads`
}
