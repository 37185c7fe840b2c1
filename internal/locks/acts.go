package locks

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// ops are the methods that lock and unlock, by their names: those of
// sync.Mutex and sync.RWMutex, which every lock follows.
var ops = map[string]Mode{
	"Lock": Writing, "TryLock": Writing, "RLock": Reading, "TryRLock": Reading, "Unlock": Free, "RUnlock": Free,
}

// lockCall is what a call of a lock's own method does, nil for any other call.
func (s *Package) lockCall(c *ssa.CallCommon) *Event {
	var fn *types.Func
	var recv ssa.Value
	if c.IsInvoke() {
		fn, recv = c.Method, c.Value
	} else if callee := c.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(c.Args) > 0 {
		fn, _ = callee.Object().(*types.Func)
		recv = c.Args[0]
	}
	if fn == nil {
		return nil
	}
	if mode, ok := ops[fn.Name()]; ok && known.IsLock(recv.Type()) && len(c.Args)-bound(c) == 0 {
		return &Event{Lock: s.ref(recv), Mode: mode, tried: strings.HasPrefix(fn.Name(), "Try")}
	}
	return nil
}

// bound is the number of arguments that are the receiver.
func bound(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 0
	}
	return 1
}
