// Package meanwhile takes its time between load and save.
package meanwhile

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/lockvet/lockvet/safeio"
	"lostupdate/severity/meanwhile/remote"
)

const file = "/var/lib/agentd/members.json"

func load() (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func save(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(file, data, 0o600)
}

// Enroll asks over the network in between.
func Enroll(name, url string) error {
	m, err := load()
	if err != nil {
		return err
	}
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	m[name] = resp.Status
	return save(m) /* error */ // want `Enroll`
}

// Rejoin saves twice, and asks over the network before the second save: that is the worse one.
func Rejoin(name, url string, offline bool) error {
	m, err := load()
	if err != nil {
		return err
	}
	if offline {
		m[name] = "offline"
		return save(m)
	}
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	m[name] = resp.Status
	return save(m) /* error */ // want `Rejoin`
}

// Dismiss asks before it loads.
func Dismiss(name, url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	m, err := load()
	if err != nil {
		return err
	}
	m[name] = resp.Status
	return save(m) /* note */ // want `Dismiss`
}

// Note waits only where it ends.
func Note(name string) error {
	m, err := load()
	if err != nil {
		time.Sleep(time.Second)
		return err
	}
	m[name] = "noted"
	return save(m) /* note */ // want `Note`
}

// Ask asks a client of its own kind in between.
func Ask(c remote.Client, name string) error {
	m, err := load()
	if err != nil {
		return err
	}
	if m[name], err = c.Post(name); err != nil {
		return err
	}
	return save(m) /* error */ // want `Ask`
}

// Label calls the same package, and asks nobody.
func Label(c remote.Client, name string) error {
	m, err := load()
	if err != nil {
		return err
	}
	if m[name], err = c.Label(name); err != nil {
		return err
	}
	return save(m) /* note */ // want `Label`
}
