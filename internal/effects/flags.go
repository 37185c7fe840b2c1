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

// ByHelper reports whether a helper opens the file, with the flags that it is given.
func (e *Effect) ByHelper() bool { return e.How == known.OpenFile && e.Flags == nil }
