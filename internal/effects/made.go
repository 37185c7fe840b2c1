package effects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// makes notes that a call, which has the effects from the n-th on, leaves files open that it
// has opened to write them: what else it returns may write them.
func (w *walker) makes(i ssa.Instruction, n int) {
	call, ok := i.(*ssa.Call)
	if !ok {
		return
	}
	added := w.f.Effects[n:]
	for _, e := range added {
		if e.ReturnsHandle && e.Kind != Read && e.Handle != nil && e.Handle.Kind == pathexpr.Handle && !closes(added, e.Handle) {
			if w.made == nil {
				w.made = map[ssa.Value]*pathexpr.Term{}
			}
			w.made[call] = e.Handle
		}
	}
}

// closes reports whether one of the effects is the close of a handle on every way.
func closes(list []*Effect, h *pathexpr.Term) bool {
	for _, e := range list {
		if e.Kind == Close && !e.Maybe && e.On(h) {
			return true
		}
	}
	return false
}

// handed adds that a call is given what writes a file, with something else: it may write that.
func (w *walker) handed(args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if len(w.made) == 0 || len(args) < 2 || when != Inline {
		return
	}
	for _, a := range args {
		if memory.IsErrorType(a.Type()) {
			continue
		}
		v := memory.Unwrapped(a)
		if x, ok := v.(*ssa.Extract); ok {
			v = x.Tuple
		}
		if h := w.made[v]; h != nil && w.p.Term(a).File().Kind != pathexpr.Handle {
			w.add(&Effect{Action: Action{Kind: Escape, Handle: h, Path: h.Path()}}, i, c, when)
		}
	}
}
