// Package elsewhere has another package save what it copies.
package elsewhere

import (
	"encoding/json"
	"maps"
	"os"
	"sync"

	"stalesnapshot/elsewhere/disk"
)

// Hosts are those that somebody has asked for.
type Hosts struct {
	mu    sync.Mutex
	hosts map[string]string
}

// Load reads them.
func (h *Hosts) Load() error {
	data, err := os.ReadFile(disk.File)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &h.hosts)
}

// Set is reported once, at the first of two saves of one copy.
func (h *Hosts) Set(name, address string) error {
	h.mu.Lock()
	h.hosts[name] = address
	snapshot := maps.Clone(h.hosts)
	h.mu.Unlock()
	if address == "" {
		return disk.Save(snapshot) /* warning */ // want `\(\*Hosts\).Set copies h.hosts under h.mu`
	}
	return disk.Save(snapshot)
}
