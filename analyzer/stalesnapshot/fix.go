package stalesnapshot

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// addFix asks that the lock is held until the function returns, if nothing that
// would come under it can wait for another goroutine.
func (c *checker) addFix(s *snapshot, f *finding.Finding) {
	if s.write.When == effects.Spawned {
		f.NoFix = "what the goroutines write has to be put in order"
		return
	}
	r := finding.HoldOn{Body: effects.BodyOf(s.f.SSA)}
	var taken ssa.Instruction
	for _, ev := range c.locks.Of(s.f.SSA).Events {
		if ev.Lock != s.lock {
			continue
		}
		call, ok := ev.Instr.(*ssa.Call)
		switch {
		case !ok || c.p.Body(&call.Call) != nil || ev.Cancellable || c.p.Call(call) == nil:
			f.NoFix = "the lock is not taken and released by calls of its methods"
			return
		case ev.Mode == locks.Free:
			r.Unlocks = append(r.Unlocks, c.p.Call(call))
		case r.Lock != nil || c.p.Flow.Reaches(call, call):
			f.NoFix = "the lock is taken more than once"
			return
		default:
			r.Lock, taken = c.p.Call(call), call
		}
	}
	if r.Lock == nil || len(r.Unlocks) == 0 {
		f.NoFix = "the lock is taken and released by a function that is called"
		return
	}
	if f.NoFix = c.stirs(s, taken); f.NoFix == "" {
		f.Remedy = r
	}
}

// stirs says what comes behind the taking of the lock that must not happen while
// it is held, empty for nothing.
func (c *checker) stirs(s *snapshot, taken ssa.Instruction) string {
	for _, b := range s.f.SSA.Blocks {
		for _, i := range b.Instrs {
			if !c.p.Flow.Reaches(taken, i) {
				continue
			}
			mode := c.heldAt(i)[s.lock]
			if _, ok := i.(*ssa.Return); ok && mode != locks.Free {
				return "the function returns with the lock, or may"
			}
			if _, ok := i.(*ssa.Defer); !ok && (mode == locks.Writing || mode == locks.Reading) {
				continue // it is under the lock as it is
			}
			if why := c.waits(i, map[*ssa.Function]bool{}); why != "" {
				return why
			}
		}
	}
	for _, f := range c.locks.Funcs {
		if strings.HasPrefix(f.SSA.Name(), "Marshal") && len(f.Events) > 0 {
			return memory.FuncName(f.SSA) + " takes a lock, and may be called to encode"
		}
	}
	return ""
}

// waits says how an instruction can wait for another goroutine, empty if it does
// not.
func (c *checker) waits(i ssa.Instruction, seen map[*ssa.Function]bool) string {
	switch i := i.(type) {
	case *ssa.Send, *ssa.Select:
		return "the function waits for another goroutine behind the unlock"
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return "the function waits for another goroutine behind the unlock"
		}
	case *ssa.Go:
		return "a goroutine is started behind the unlock"
	case ssa.CallInstruction:
		return c.calledUnder(i, seen)
	}
	return ""
}

func (c *checker) calledUnder(site ssa.CallInstruction, seen map[*ssa.Function]bool) string {
	call := site.Common()
	if _, ok := call.Value.(*ssa.Builtin); ok {
		return ""
	}
	if body := c.p.Body(call); body != nil {
		return c.within(body, seen)
	}
	if call.IsInvoke() {
		if name := call.Method.Name(); name == "Error" || name == "String" {
			return ""
		}
		return "what " + call.Method.Name() + " does behind the unlock cannot be seen"
	}
	fn := call.StaticCallee()
	if fn == nil || fn.Object() == nil {
		return "a function is called behind the unlock that cannot be seen"
	}
	if calm[known.Path(fn.Object())] && fn.Name() != "Sleep" || c.onFiles(site) {
		return ""
	}
	return "what " + fn.Name() + " does behind the unlock cannot be seen"
}

// within says what a function of the package does that waits.
func (c *checker) within(fn *ssa.Function, seen map[*ssa.Function]bool) string {
	if seen[fn] {
		return ""
	}
	seen[fn] = true
	if f := c.locks.Of(fn); f == nil || len(f.Events) > 0 {
		return memory.FuncName(fn) + " takes a lock of its own"
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if why := c.waits(i, seen); why != "" {
				return why
			}
		}
	}
	return ""
}

// onFiles reports whether a call of another package is known to act on files, and
// takes no lock.
func (c *checker) onFiles(site ssa.CallInstruction) bool {
	f, acts := c.p.Of(site.Parent()), false
	if f == nil {
		return false
	}
	for _, e := range f.Effects {
		if e.At == site {
			switch e.Kind {
			case effects.Lock, effects.Unlock, effects.Acquire, effects.Release:
				return false
			}
			acts = true
		}
	}
	return acts
}

// calm are the packages whose functions wait for no goroutine of the program.
var calm = func() map[string]bool {
	calm := map[string]bool{}
	for _, path := range strings.Fields(`bufio bytes cmp encoding/base64 encoding/gob encoding/hex encoding/json encoding/xml errors
		fmt hash/crc32 io io/fs io/ioutil log log/slog maps math os path path/filepath slices sort strconv strings
		sync/atomic syscall time unicode unicode/utf8`) {
		calm[path] = true
	}
	return calm
}()
