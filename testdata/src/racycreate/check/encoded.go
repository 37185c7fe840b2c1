package check

import (
	"encoding/json"
	"errors"
	"os"
)

var errRunning = errors.New("the node is already running")

// A runtime says which process runs the node.
type runtime struct{ Spec *spec }

type spec struct {
	Pid  int
	Node string
}

// begin puts the number of the process into what it encodes.
func begin(path, node string) error {
	if _, err := os.Stat(path); err == nil {
		return errRunning
	}
	data, err := json.Marshal(&runtime{Spec: &spec{Pid: os.Getpid(), Node: node}})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `begin asks for path before it makes it: two processes that both find none both make it`
}

// A profile is nobody's.
type profile struct{ Node string }

// settle encodes something else than what has the number.
func settle(path, node string, tell func(*spec)) error {
	if _, err := os.Stat(path); err == nil {
		return errors.New("the profile exists")
	}
	tell(&spec{Pid: os.Getpid(), Node: node})
	data, err := json.Marshal(profile{Node: node})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // ok: who makes it is not in it
}
