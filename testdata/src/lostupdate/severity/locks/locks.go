// Package locks locks the file in one place.
package locks

import (
	"encoding/json"
	"os"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

func load(path string) (m map[string]string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(b, &m)
}

func save(path string, m map[string]string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, b, 0o600)
}

const file = "/var/lib/agentd/members.json"

// claim keeps other processes out.
func claim() (*os.File, error) {
	f, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return f, syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

func enter(name string) error {
	m, err := load(file)
	if err != nil {
		return err
	}
	m[name] = "seen"
	return save(file, m) /* error */ // want `enter`
}

var _, _ = enter, claim
