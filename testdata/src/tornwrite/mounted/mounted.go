// Package mounted has files that it mounts into containers.
package mounted

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A Mount is one of a runtime's specification.
type Mount struct{ Destination, Source, Type string }

// A bindMount is one of an interface to containers.
type bindMount struct {
	ContainerPath string
	HostPath      string
}

// A HostConfig is one of docker.
type HostConfig struct{ Binds []string }

type container struct {
	dir, state string
	hostsPath  string
	names      map[string]string
}

func (c *container) start() ([]Mount, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(c.names)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile("names.json", data, 0o600); err != nil { // ok: the running container has this file
		return nil, err
	}
	return []Mount{{Type: "bind", Source: filepath.Join(wd, "names.json"), Destination: "/etc/names"}}, nil
}

func (c *container) load() error {
	data, err := os.ReadFile("names.json")
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.names)
}

func (c *container) save() error {
	data, err := json.Marshal(c.names)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.hostsPath, data, 0o600); err != nil { // ok: mounts has the same field
		return err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "users.json"), data, 0o600); err != nil { // ok: the caller of mountOf names it
		return err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "peers.json"), data, 0o600); err != nil { // ok: it stands among the binds
		return err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "queue.json"), data, 0o600); err != nil { // ok: it stands among the binds
		return err
	}
	if err := os.WriteFile(filepath.Join(c.state, "peers.json"), data, 0o600); err != nil { // want `save truncates c.state/peers.json`
		return err
	}
	// The directory of this one is mounted, where a new file is seen.
	if err := os.WriteFile(filepath.Join(c.dir, "shared", "state.json"), data, 0o600); err != nil { // want `save truncates c.dir/shared/state.json`
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, "session.json"), data, 0o600) // want `save truncates c.dir/session.json`
}

// mounts has nothing to do with files but by these names.
func (c *container) mounts() []bindMount {
	return []bindMount{
		{ContainerPath: "/etc/hosts", HostPath: c.hostsPath},
		{ContainerPath: "/shared", HostPath: filepath.Join(c.dir, "shared")},
	}
}

func mountOf(source, target string) Mount {
	return Mount{Type: "bind", Source: source, Destination: target}
}

func (c *container) users() Mount { return mountOf(filepath.Join(c.dir, "users.json"), "/etc/users") }

func (c *container) host() HostConfig {
	return HostConfig{Binds: []string{
		filepath.Join(c.dir, "peers.json") + ":/etc/peers:ro",
		fmt.Sprintf("%s/queue.json:%s", c.dir, "/var/queue"),
	}}
}

// WriteSession is told by others which file it writes.
func WriteSession(path string, session map[string]string) (Mount, error) {
	data, err := json.Marshal(session)
	if err != nil {
		return Mount{}, err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { // ok: it is mounted below
		return Mount{}, err
	}
	return Mount{Type: "bind", Source: path, Destination: "/etc/session"}, nil
}

// store writes what is mounted, and what is not: who replaces the one replaces the other.
func store(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `store truncates path`
}

func (c *container) storeAll() error {
	if err := store(c.hostsPath, c.names); err != nil {
		return err
	}
	return store(filepath.Join(c.dir, "registry.json"), c.names)
}
