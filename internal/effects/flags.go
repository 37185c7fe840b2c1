package effects

import (
	"go/token"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// openFile reads the flags of os.OpenFile, or leaves it to those who give them.
func (w *walker) openFile(path *pathexpr.Term, asked ssa.Value, i ssa.Instruction, add func(*Effect)) {
	e := &Effect{Action: Action{Path: path, Handle: w.result(i, path), ReturnsHandle: true}}
	if flags := w.p.flagsTerm(asked); flags != nil && flags.Has(pathexpr.Param) && w.p.matters(flags) {
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

// matters reports whether callers that know more of the flags know more of what is done to the file.
// Of a choice they do where the two open it in different ways; whether writes are synced is none.
func (p *Package) matters(flags *pathexpr.Term) bool {
	if flags.Kind != pathexpr.Choice {
		return true
	}
	var yes, no Effect
	a, _ := constantBits(flags.Args[1])
	b, _ := constantBits(flags.Args[2])
	return p.opens(&yes, a) != p.opens(&no, b) || yes.Kind != no.Kind || yes.Makes != no.Makes
}

// flagsTerm are flags that a function is given, or between which an argument of its chooses; nil for
// any other. A second choice is not followed.
func (p *Package) flagsTerm(v ssa.Value) *pathexpr.Term {
	if b := p.bits.Ask(v); b.known && b.may == b.must {
		return pathexpr.New(pathexpr.Const, strconv.FormatInt(b.may, 10))
	}
	if t := p.Term(v); t.Kind == pathexpr.Param {
		return t
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return p.flagsTerm(v.X)
	case *ssa.BinOp:
		if v.Op == token.OR {
			return together(p.flagsTerm(v.X), p.flagsTerm(v.Y))
		}
	case *ssa.Phi:
		return p.chosenFlags(v)
	}
	return nil
}

// chosenFlags are flags of which an argument of the function says which they are, nil for any other.
func (p *Package) chosenFlags(phi *ssa.Phi) *pathexpr.Term {
	by, yes, no := flow.Chosen(phi)
	if by == nil || p.Flow.Reaches(phi, phi) {
		return nil
	}
	cond := by.Cond
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		cond, yes, no = not.X, no, yes
	}
	asked, ok := cond.(*ssa.Parameter)
	if !ok {
		return nil
	}
	a := p.flagsTerm(yes)
	if a == nil || a.Kind != pathexpr.Const {
		return nil
	}
	b := p.flagsTerm(no)
	if b == nil || b.Kind != pathexpr.Const {
		return nil
	}
	return pathexpr.New(pathexpr.Choice, "", p.Term(asked), a, b)
}

// together are two sets of flags as one, nil where only a caller knows more than one choice.
func together(a, b *pathexpr.Term) *pathexpr.Term {
	if a == nil || b == nil {
		return nil
	}
	if a.Kind == pathexpr.Const {
		a, b = b, a
	}
	x, known := constantBits(b)
	if !known {
		return nil
	}
	with := func(t *pathexpr.Term) *pathexpr.Term {
		y, _ := constantBits(t)
		return pathexpr.New(pathexpr.Const, strconv.FormatInt(x.may|y.may, 10))
	}
	switch a.Kind {
	case pathexpr.Const:
		return with(a)
	case pathexpr.Choice:
		return pathexpr.New(pathexpr.Choice, "", a.Args[0], with(a.Args[1]), with(a.Args[2]))
	}
	return nil
}

// ByHelper reports whether a helper opens the file, with the flags that it is given.
func (e *Effect) ByHelper() bool { return e.How == known.OpenFile && e.Flags == nil }
