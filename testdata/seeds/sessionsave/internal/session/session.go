// Package session holds the editing session that an agent keeps open on a
// desktop application: which project it works on, and the steps that can be
// undone and redone. The session lives in one JSON file, so that a second
// command line attached to the same project carries on where the first is.
package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// maxUndo bounds the undo stack; older steps are forgotten.
const maxUndo = 250

// ErrDamaged reports a session file whose content is not a session.
var ErrDamaged = errors.New("session file is damaged")

// Session is the state of one project in one application.
type Session struct {
	App      string    `json:"app"`
	Project  string    `json:"project"`
	Modified time.Time `json:"modified"`
	LastStep int       `json:"last_step"`
	Undo     []Step    `json:"undo"`
	Redo     []Step    `json:"redo,omitempty"`
}

// Step is one command together with the settings that it replaced.
type Step struct {
	Number  int       `json:"number"`
	Command string    `json:"command"`
	Before  []float64 `json:"before,omitempty"`
	At      time.Time `json:"at"`
}

// New returns an empty session of app for project.
func New(app, project string) *Session {
	return &Session{App: app, Project: project, Modified: time.Now().UTC()}
}

// Load reads the session in the file at path.
func Load(path string) (*Session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decode(path, data)
}

// Open loads the session at path, or begins one when there is no file yet.
func Open(app, path string) (*Session, error) {
	load := Load
	if app == "document" {
		load = LoadShared
	}
	s, err := load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return New(app, path), nil
	}
	return s, err
}

// Record puts a command on the undo stack and drops what could be redone.
func (s *Session) Record(command string, before []float64) Step {
	s.LastStep++
	step := Step{Number: s.LastStep, Command: command, Before: before, At: time.Now().UTC()}
	s.Undo = append(s.Undo, step)
	if over := len(s.Undo) - maxUndo; over > 0 {
		s.Undo = append([]Step(nil), s.Undo[over:]...)
	}
	s.Redo = nil
	s.Modified = step.At
	return step
}

func decode(path string, data []byte) (*Session, error) {
	var s Session
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", path, ErrDamaged, err)
	}
	return &s, nil
}
