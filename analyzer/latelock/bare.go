package latelock

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// bare reports whether a change is made by a method of the object that has nothing to do with
// the lock, and nobody who calls the method has the lock either.
func (c *checker) bare(u *use, bare, all []*use) bool {
	recv := outermost(u.In).Signature.Recv()
	if recv == nil || c.says(outermost(u.In)) != nil || c.typeName(recv.Type()) != c.typeName(u.lockOwner()) {
		return false
	}
	if _, own := u.Value.(*ssa.Call); u.In.Object() != nil && u.In.Object().Exported() && u.Value != nil && !own { // a setting
		return false
	}
	return !slices.ContainsFunc(all, func(o *use) bool { return o.Pos == u.Pos && !slices.Contains(bare, o) })
}

// lockOwner is the type of the struct that the lock is a field of.
func (u *use) lockOwner() types.Type { return objectOf(u.lock.Root) }

// guardsAs reports whether another lock that is held can keep others from the place: it is a
// variable of the package, or a field of what the object is reached from.
func guardsAs(u *use) bool {
	for r, m := range u.Held {
		if r == u.lock || m != locks.Writing && m != locks.Reading && m != locks.Mixed {
			continue
		}
		if isGlobal(r) || r.Root == u.lock.Root || slices.Contains(flow.Reach(u.f.Flow().Budget, flow.OperandsOf, u.Place.Root), r.Root) {
			return true
		}
	}
	return false
}

// bare reports a change by a method that has nothing to do with the lock.
func (r *report) bare(u *use, g *guard) {
	in := outermost(u.In)
	f := g.about(u)
	f.Func, f.Variant, f.Severity = memory.FuncName(in), "unlocked", finding.Warning
	f.Pos, f.End = extent(in, u.Pos)
	other := g.other(u)
	f.NoFix = "who calls the function may have the lock one day, and would wait for itself"
	f.Sentence = fmt.Sprintf("%s changes %s without %s, which its comment asks for: who holds the lock meets the change half done or overwrites it", f.Func, u.Var.Name(), g.lock)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: other.at, Does: "holds " + g.lock + " and " + other.does, Memory: other.leaves("A")},
		{Actor: "goroutine B", Pos: u.Pos, Does: "changes " + u.Var.Name() + " at the same time", Memory: other.clash("B", "A")},
	}
	r.add(u, f, g)
}
