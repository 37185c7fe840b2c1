package locks

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
)

// sum computes how the function leaves the locks that it has touched.
func (f *Func) sum() {
	all := Held{}
	for _, x := range f.exits {
		maps.Copy(all, x.at.held)
	}
	for _, r := range Sorted(all) {
		if l := f.leaves(r); l.ok != (lockState{}) || l.fail != (lockState{}) {
			f.net = append(f.net, l)
		}
	}
}

// leaves is how a function leaves one lock.
func (f *Func) leaves(r Ref) left {
	l := left{lock: r}
	for _, ev := range f.Events {
		l.tried = l.tried || ev.tried && ev.Lock == r
	}
	var ok, fail []lockState
	for _, x := range f.exits {
		if p := x.at.held[r].pending; p.passedOn(x.ret) {
			ok, fail = append(ok, p.ok), append(fail, p.fail)
			continue
		}
		succeeds, fails := outcomeOf(x.ret)
		if succeeds {
			ok = append(ok, x.at.stateOf(r))
		}
		if fails {
			fail = append(fail, x.at.stateOf(r))
		}
	}
	if len(ok) == 0 {
		ok = fail
	}
	l.ok = uniform(ok)
	if l.ok.turn > 0 && !l.tried {
		for n, st := range fail {
			if st == (lockState{}) {
				fail[n].Mode = Free // no goroutine takes a lock that it holds
			}
		}
	}
	l.fail = l.ok
	if len(fail) > 0 {
		l.fail = uniform(fail)
	}
	if l.ok.turn == 0 && l.fail.turn == 0 && l.ok != l.fail {
		l.ok, l.fail = lockState{}, lockState{} // as it was
	}
	return l
}

// passedOn reports whether a return hands on the result that tells.
func (p pending) passedOn(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	o := source(ret.Results[len(ret.Results)-1], true)
	return o.call != nil && o.call == p.call && o.result == p.result
}

// uniform is how a lock stands on all of several ways.
func uniform(ways []lockState) lockState {
	all := ways[0]
	for _, w := range ways {
		all = all.or(w)
	}
	return all
}

// outcomeOf reports whether a return can say that the function succeeded, and that
// it failed: by its last result, an error or a bool.
func outcomeOf(r *ssa.Return) (succeeds, fails bool) {
	if len(r.Results) == 0 {
		return true, false
	}
	last := memory.Result(r, len(r.Results)-1)
	c, isConst := last.(*ssa.Const)
	switch {
	case memory.IsErrorType(last.Type()) && isConst:
		return true, false
	case memory.IsErrorType(last.Type()):
		return memory.MaySucceed(r), true
	case !memory.IsBool(last.Type()):
		return true, false
	case isConst && c.Value != nil:
		yes := c.Value.String() == "true"
		return yes, !yes
	}
	return true, true
}
