// Package elsewhere has another package save what it copies.
package elsewhere

import (
	"encoding/json"
	"maps"
	"net/http"
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

// ServeHTTP is reported once, at the first of two saves of one copy.
func (h *Hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, address := r.FormValue("name"), r.FormValue("address")
	h.mu.Lock()
	h.hosts[name] = address
	snapshot := maps.Clone(h.hosts)
	h.mu.Unlock()
	if address == "" {
		_ = disk.Save(snapshot) /* warning */ // want `\(\*Hosts\).ServeHTTP copies h.hosts under h.mu`
		return
	}
	_ = disk.Save(snapshot)
}
