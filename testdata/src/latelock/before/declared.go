package before

import (
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A gauge says what guards its fields.
type gauge struct {
	path string
	mu   sync.Mutex

	level int // guarded by mu
	// +checklocks:mu
	unit  string
	label string // guarded by mu
}

func (g *gauge) Set(level int) error {
	g.level = level // want `\(\*gauge\).Set changes g.level before it takes g.mu`
	g.mu.Lock()
	defer g.mu.Unlock()
	return safeio.WriteFile(g.path, []byte{byte(g.level)}, 0o600)
}

// Measure changes the unit without the lock, and so does Convert too early.
func (g *gauge) Measure(unit string) { g.unit = unit }

func (g *gauge) Convert(unit string) error {
	g.unit = unit // want `\(\*gauge\).Convert changes g.unit before it takes g.mu`
	g.mu.Lock()
	defer g.mu.Unlock()
	g.level *= 2
	return safeio.WriteFile(g.path, []byte(g.unit), 0o600)
}

// +checklocks:g.mu
func (g *gauge) name(label string) {
	g.label = label
	g.mu.Unlock()
	g.mu.Lock()
}
