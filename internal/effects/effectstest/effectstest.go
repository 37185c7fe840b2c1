// Package effectstest makes effects of the sources that stand in tests.
package effectstest

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/srctest"
)

// A World is a set of packages that import each other, and their facts.
type World struct {
	*srctest.World
	t testing.TB
}

// New is a world without packages.
func New(t testing.TB) *World { return &World{srctest.NewWorld(t), t} }

// NewLocks is a world with the packages of [srctest.LockPackages] and
// [srctest.LockHelpers].
func NewLocks(t testing.TB) *World {
	w := New(t)
	for path, src := range srctest.LockPackages {
		w.Pass(path, src)
	}
	w.Build("example.com/agentd/lockutil", srctest.LockHelpers)
	return w
}

// Build adds a package of one file, and gives its effects. It exports its facts.
func (w *World) Build(path, src string) *effects.Package {
	w.t.Helper()
	p := effects.Build(w.Pass(path, src), effects.Config{})
	if p == nil {
		w.t.Fatalf("%s has no effects", path)
	}
	p.Export(failure.Of(p).Ignores)
	return p
}

// Body gives the effects of function f of a file whose imports are given by its text.
func Body(t testing.TB, text string) *effects.Func {
	t.Helper()
	return Find(t, New(t).Build("example.com/agentd/p", srctest.Complete(text)), "f")
}

// Find is the function of a name.
func Find(t testing.TB, p *effects.Package, name string) *effects.Func {
	t.Helper()
	for _, f := range p.Funcs {
		if f.SSA.Name() == name {
			return f
		}
	}
	t.Fatalf("there is no function %s", name)
	return nil
}
