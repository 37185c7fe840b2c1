package effects

import (
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// openFile reads the flags of os.OpenFile, or leaves it to those who give them.
func (w *walker) openFile(path *pathexpr.Term, asked ssa.Value, i ssa.Instruction, add func(*Effect)) {
	e := &Effect{Action: Action{Path: path, Handle: w.result(i, path), ReturnsHandle: true}}
	if flags := w.p.flagsTerm(asked); flags != nil {
		e.Flags, e.How = flags, known.OpenFile
	}
	if !w.p.opens(e, w.p.bits.Ask(asked)) {
		if e.Flags == nil {
			return
		}
		e.Kind = opening
	}
	add(e)
}

// flagsTerm are flags that a function is given, or two between which an argument of it chooses, and that open
// a file in different ways; nil for any other.
func (p *Package) flagsTerm(v ssa.Value) *pathexpr.Term {
	if t := p.Term(v); t.Kind == pathexpr.Param {
		return t
	}
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return nil
	}
	by, yes, no := flow.Chosen(phi)
	if by == nil || p.Flow.Reaches(phi, phi) {
		return nil
	}
	asked, ok := by.Cond.(*ssa.Parameter)
	a, b := p.bits.Ask(yes), p.bits.Ask(no)
	var x, y Effect
	if !ok || !a.is(a.must) || !b.is(b.must) || p.opens(&x, a) == p.opens(&y, b) && x.Kind == y.Kind && x.Makes == y.Makes {
		return nil
	}
	number := func(b bits) *pathexpr.Term { return pathexpr.New(pathexpr.Const, strconv.FormatInt(b.may, 10)) }
	return pathexpr.New(pathexpr.Choice, "", p.Term(asked), number(a), number(b))
}

// ByHelper reports whether a helper opens the file, with the flags that it is given.
func (e *Effect) ByHelper() bool { return e.How == known.OpenFile && e.Flags == nil }
