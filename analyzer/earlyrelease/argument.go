package earlyrelease

import (
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// inArgument reports the releases of f that stand in an argument of a deferred call, and so
// come where the defer statement stands, and not at the end.
func (c *checker) inArgument(f *effects.Func) {
	body := effects.BodyOf(f.SSA)
	for _, u := range f.OfKind(effects.Unlock) {
		at := callOf(c.p, f, u)
		if _, ok := u.At.(*ssa.Call); !ok || u.When != effects.Inline || body == nil || at == nil || !inDefer(body, at) {
			continue
		}
		lock := find(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
			return l.When == effects.Inline && !effects.OneCall(l, u) && letsGo(u, l) && effects.Before(l, u)
		})
		if lock == nil {
			continue
		}
		fd := about(u, "argument")
		fd.Pos, fd.End, fd.Func = at.Pos(), at.End(), f.Name()
		fd.Sentence = fmt.Sprintf("%s releases %s as soon as it has it: the arguments of a deferred call are evaluated at the defer statement", fd.Func, named(lock.Path))
		fd.Claim = "is locked"
		fd.Evidence = []finding.Evidence{{Pos: lock.Pos, Text: memory.FuncName(lock.In) + " locks it"}}
		fd.Schedule = []finding.Step{
			{Actor: "process A", Pos: at.Pos(), Does: "releases the lock, and goes on with what it is for"},
			{Actor: "process B", Pos: lock.Pos, Does: "takes the lock, and does the same at the same time"},
		}
		fd.NoFix = "a function literal has to be deferred, in which the lock is released"
		by := verdict.Reason{Rule: evaluated, Pos: at.Pos(), Text: "the deferred call is given what the release returns"}
		c.add(&candidate{finding: fd, rank: 2, via: len(u.Via), by: []verdict.Reason{by}})
	}
}

// inDefer reports whether a call stands in an argument of a deferred call of a body.
func inDefer(body *ast.BlockStmt, call ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			found = found || slices.ContainsFunc(d.Call.Args, func(arg ast.Expr) bool { return arg.Pos() <= call.Pos() && call.End() <= arg.End() })
		}
		_, inner := n.(*ast.FuncLit)
		return !found && !inner
	})
	return found
}

// letsGo reports whether u releases the lock that l takes: that of the same file, or the one that
// the call which takes it returns the release of.
func letsGo(u, l *effects.Effect) bool {
	if memory.SameFile(l.Path, u.Path) {
		return true
	}
	release, ok := u.At.(*ssa.Call).Call.Value.(*ssa.Extract)
	taken, isValue := l.At.(ssa.Value)
	return ok && isValue && release.Tuple == taken
}
