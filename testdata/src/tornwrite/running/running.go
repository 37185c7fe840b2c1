// Package running has files about what runs, which are gone with it.
package running

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type server struct {
	dir  string
	addr []string
}

// announce is undone by Close: after a power cut nothing runs at the address.
func (s *server) announce() error {
	return publish(filepath.Join(s.dir, "address.json"), s.addr)
}

// Close ends the server.
func (s *server) Close() error {
	return os.Remove(filepath.Join(s.dir, "address.json"))
}

// remember outlives the server: Reset is none of its ends.
func (s *server) remember(peers []string) error {
	f, err := os.CreateTemp(s.dir, "peers-*.json") // want `that was never synced`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(peers); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, "peers.json"))
}

// Reset forgets the peers.
func (s *server) Reset() error {
	return os.Remove(filepath.Join(s.dir, "peers.json"))
}

func publish(path string, v any) error {
	f, err := os.CreateTemp(filepath.Dir(path), "address-*.json")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ports has the number of the process in its name: it tells of that one alone.
func (s *server) ports() error {
	data, err := json.Marshal(s.addr)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("session-%d.json", os.Getpid())), data, 0o600)
}

// session has none.
func (s *server) session(name string) error {
	data, err := json.Marshal(s.addr)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("session-%s.json", name)), data, 0o600) // want `\(\*server\).session truncates`
}

// overwrite saves the session that a test begins with. This is only used in
// integration tests.
func (s *server) overwrite(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "state.json"), data, 0o600)
}

// save only tests whether there is anything to save.
func (s *server) save(v any) error {
	data, err := json.Marshal(v)
	if err != nil || len(data) == 0 {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "state.json"), data, 0o600) // want `\(\*server\).save truncates`
}

// tell is undone by Stop, too, but it is read while the server runs.
func (s *server) tell() error {
	data, err := json.Marshal(s.addr)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "endpoint.json"), data, 0o600) // want `\(\*server\).tell truncates`
}

// Stop stops the server.
func (s *server) Stop() error {
	return os.Remove(filepath.Join(s.dir, "endpoint.json"))
}

func endpoint(dir string) (addr []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "endpoint.json"))
	if err != nil {
		return nil, err
	}
	return addr, json.Unmarshal(data, &addr)
}

// lend shares its temporary name with whoever else starts.
func (s *server) lend() error {
	data, err := json.Marshal(s.addr)
	if err != nil {
		return err
	}
	tmp := filepath.Join(s.dir, "lease.json.tmp")
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `a name that every `
		return err
	}
	return os.Rename(tmp, filepath.Join(s.dir, "lease.json"))
}

// Shutdown ends the lease.
func (s *server) Shutdown() error {
	return os.Remove(filepath.Join(s.dir, "lease.json"))
}
