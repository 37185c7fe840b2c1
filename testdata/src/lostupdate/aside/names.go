// Package aside has reasons that are about something else than the file.
package aside

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

type visits struct {
	Runs []string
	N    int
}

func load(path string) (*visits, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var v visits
	return &v, json.Unmarshal(data, &v)
}

func save(path string, v *visits) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// awake asks whether the one daemon lives, of which the file says nothing.
func awake(dir string, daemon int) error {
	path := filepath.Join(dir, "awake.json")
	if syscall.Kill(daemon, 0) != nil {
		return os.ErrProcessDone
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var v visits
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	v.N++
	return save(path, &v) // want `awake loads dir/awake.json, changes it and saves it with no lock`
}

// A session is more than the process that has it.
type session struct {
	Pid     int
	History []string
}

func loadSession(path string) (*session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s session
	return &s, json.Unmarshal(data, &s)
}

func say(dir, text string) error {
	path := filepath.Join(dir, "sessions.json")
	s, err := loadSession(path)
	if err != nil {
		return err
	}
	s.History = append(s.History, text)
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data) // want `say loads dir/sessions.json, changes it and saves it with no lock`
}

// What is cached here is needed: nothing yields it again.
func grant(dir string) error {
	v, err := load(filepath.Join(dir, "cached-credentials", "tokens.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "cached-credentials", "tokens.json"), v) // want `grant loads dir/cached-credentials/tokens.json, changes it and saves it with no lock`
}

// Blocked comes to both halves in a function that blocks, and locks nothing.
func Blocked(dir string) error { return blockUser(dir) }

func blockUser(dir string) error {
	v, err := load(filepath.Join(dir, "users.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "users.json"), v) // want `blockUser loads dir/users.json, changes it and saves it with no lock`
}

func lines(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(data)), nil
}

// addLine takes the one text apart: it is a list, to which a line is added.
func addLine(dir, line string) error {
	path := filepath.Join(dir, "history.json")
	old, err := lines(path)
	if err != nil {
		return err
	}
	list := strings.Split(old, "\n")
	if len(list) > 9 {
		list = list[1:]
	}
	return replace(path, []byte(strings.Join(append(list, line), "\n"))) // want `addLine loads dir/history.json, changes it and saves it with no lock`
}

// inGit has a file of its own in the directory of another program, which keeps no JSON.
func inGit(root string) error {
	path := filepath.Join(root, ".git", "agent-state.json")
	v, err := load(path)
	if err != nil {
		return err
	}
	v.N++
	return save(path, v) // want `inGit loads root/.git/agent-state.json, changes it and saves it with no lock`
}
