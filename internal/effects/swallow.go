package effects

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// A Swallow is where the failure of a load is lost: what the load would have
// yielded is empty from there on, and nobody learns why.
type Swallow struct {
	// Failed is the effect that fails: a Decode, or the Read where nothing is
	// decoded.
	Failed *Effect
	// In is the function that loses the error, and Call the call in it that has
	// it. Foreign says that Call is the call of another package's function, which
	// loses it.
	In      *Func
	Call    *ast.CallExpr
	Foreign bool
	// Return is where In returns without the error; nil where it goes on as if
	// nothing had failed.
	Return *ast.ReturnStmt
	// Own says that Call is what fails, not a function of the package that tells
	// of it.
	Own bool
}

// Pos is the statement or call that has to change.
func (s *Swallow) Pos() token.Pos {
	if s.Return != nil {
		return s.Return.Pos()
	}
	return s.Call.Pos()
}

// End is the end of that.
func (s *Swallow) End() token.Pos {
	if s.Return != nil {
		return s.Return.End()
	}
	return s.Call.End()
}

// Swallows lists where the failure to load what the cycle writes again is lost on
// the way to the write: that of decoding it, or of reading it where nothing is
// decoded. That the file is missing is no failure.
func (p *Package) Swallows(f *Func, c Cycle) []*Swallow {
	if c.OneCall() || c.Last().When != Inline || !p.carriedWhole(f, c) || p.keepsOld(f, c) {
		return nil
	}
	var list []*Swallow
	for _, e := range f.loading(c) {
		if p.loadedBefore(f, e, c.File) {
			continue
		}
		for _, o := range p.failing(f, e, broken) {
			r := p.follow(f, e, o, broken, c.Last().At)
			if !r.reached {
				continue
			}
			s := o.lost
			if s == nil {
				s = p.swallow(f, e, nil)
			}
			list = addSwallow(list, s)
		}
	}
	return list
}

// loadedBefore reports whether f has loaded the file before it comes to e, and would not
// have come there without: what it held is in memory, then.
func (p *Package) loadedBefore(f *Func, e *Effect, file *pathexpr.Term) bool {
	return slices.ContainsFunc(f.Effects, func(d *Effect) bool {
		if !d.decodes(file) || !p.Flow.Reaches(d.At, e.At) {
			return false
		}
		list := p.failing(f, d, broken)
		return len(list) > 0 && !slices.ContainsFunc(list, func(o *outcome) bool {
			return p.follow(f, d, o, broken, e.At).reached
		})
	})
}

// SwallowsLoad lists where f loses the failure to decode a file and ends as if it
// had loaded it: f decodes it itself, or makes an object of what a function
// decodes.
func (p *Package) SwallowsLoad(f *Func, decode *Effect) []*Swallow {
	if decode.Kind != Decode || decode.When != Inline || decode.Foreign != "" || decode.Data.Has(pathexpr.Elem) {
		return nil
	}
	if len(decode.Via) > 0 && !f.makes() {
		return nil
	}
	var list []*Swallow
	for _, o := range p.outcomes(f, decode, broken) {
		if o.lost != nil && !o.tells && o.lost.In == f {
			list = addSwallow(list, o.lost)
		}
	}
	return list
}

// addSwallow adds where an error is lost. What is lost at several returns is lost
// at the call.
func addSwallow(list []*Swallow, s *Swallow) []*Swallow {
	if s == nil {
		return list
	}
	for i, o := range list {
		if o.Call == s.Call && o.Failed.Kind == s.Failed.Kind {
			if o.Return != s.Return {
				at := *o
				at.Return = nil
				list[i] = &at
			}
			return list
		}
	}
	return append(list, s)
}

// makes reports whether the function returns an object.
func (f *Func) makes() bool {
	res := f.SSA.Signature.Results()
	return res.Len() > 0 && memory.NamedType(res.At(0).Type()) != ""
}

// Relies is a caller of the function in the package that goes on with what it
// yields without an error; nil where all give the error to theirs, or leave.
func (p *Package) Relies(f *Func) *Func {
	for _, g := range p.Funcs {
		for _, b := range g.SSA.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if ok && p.Body(call.Common()) == f.SSA && !p.leaves(g, i) {
					return g
				}
			}
		}
	}
	return nil
}

// ReturnsError reports whether the last result of the function is an error.
func (f *Func) ReturnsError() bool { return len(returned(&ssa.CallCommon{Value: f.SSA})) > 0 }

// leaves reports whether g comes to its end, and tells its caller, where a call in
// it returns an error.
func (p *Package) leaves(g *Func, i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	r := p.follow(g, &Effect{At: call, Call: p.CallAt(call.Call.Pos())}, failure(&call.Call), broken, nil)
	return !slices.ContainsFunc(r.ends, func(o *outcome) bool {
		return o.lost != nil && (o.lost.Return == nil || len(o.results) > 0 && !o.tells)
	})
}

// loading are the effects of f by which the cycle's content is loaded: that it is
// decoded, or read where nothing decodes it.
func (f *Func) loading(c Cycle) []*Effect {
	var list []*Effect
	for _, e := range f.Effects {
		if e.decodes(c.File) && (e.At == c.Read.At || f.Reaches(c.Read.At, e.At)) && Reaches(e, c.Last()) {
			list = append(list, e)
		}
	}
	if len(list) == 0 && !slices.ContainsFunc(f.Effects, func(e *Effect) bool { return e.Kind == Decode && Reaches(c.Read, e) }) {
		list = append(list, c.Read)
	}
	return list
}

// decodes reports whether the effect decodes the whole content of the file.
func (e *Effect) decodes(file *pathexpr.Term) bool {
	return e.Kind == Decode && e.When == Inline && e.Data != nil && !e.Data.Has(pathexpr.Elem) && reads(e.Data, file)
}

// keepsOld reports whether what the file held is there after the cycle's write: it was
// moved aside before, a function that is named for a backup was told of it before or
// writes it, or one that is named for a migration does, which finds nothing to bring over
// in an empty value.
func (p *Package) keepsOld(f *Func, c Cycle) bool {
	last := c.Last().At
	if call, ok := last.(*ssa.Call); ok && keeping.MatchString(p.calleeName(call)) {
		return true
	}
	return slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		call, ok := e.At.(*ssa.Call)
		told := ok && backup.MatchString(p.calleeName(call)) && p.Flow.Dominates(call, last) && p.told(call, c.File)
		return told || e.movesAway() && memory.SameFile(e.Path, c.File) && Reaches(e, c.Last())
	})
}

var (
	backup  = pattern.New(`(?i)backup`)
	keeping = pattern.New(`(?i)backup|^migrat`)
)

func (p *Package) calleeName(call *ssa.Call) string {
	if fn := p.CalleeOf(&call.Call); fn != nil {
		return fn.Name()
	}
	return ""
}

// told reports whether an argument of a call is a file, or something that its path is
// made of.
func (p *Package) told(call *ssa.Call, file *pathexpr.Term) bool {
	return slices.ContainsFunc(memory.CallArgs(&call.Call), func(arg ssa.Value) bool {
		t := p.Term(arg)
		return t != nil && memory.IsString(arg.Type()) && file.Any(t.Same)
	})
}

// movesAway reports whether the effect gives the file Path another name.
func (e *Effect) movesAway() bool { return e.Kind == Rename || e.Kind == Link }

// file is the file that the effect reads or decodes.
func (e *Effect) file() *pathexpr.Term {
	if e.Kind != Decode || e.Data == nil {
		return e.Path
	}
	var file *pathexpr.Term
	e.Data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Content {
			file = t.Args[0].Path()
		}
		return file != nil
	})
	return file
}

// swallow is the place in f where the error of e is lost: a return, or the call
// where ret is nil.
func (p *Package) swallow(f *Func, e *Effect, ret *ssa.Return) *Swallow {
	call := e.Here()
	if call == nil {
		return nil
	}
	s := &Swallow{Failed: e, In: f, Call: call, Own: len(e.Via) == 0 && e.Foreign == "", Foreign: e.Foreign != "" && (e.Swallowed || e.Empty != nil)}
	if ret != nil {
		s.Return = returnAt(f, ret.Pos())
	}
	return s
}

// returnAt is the return statement at a position, nil for the end of a function or
// of a loop over one.
func returnAt(f *Func, pos token.Pos) *ast.ReturnStmt {
	if !pos.IsValid() || BodyOf(f.SSA) == nil {
		return nil
	}
	var found *ast.ReturnStmt
	ast.Inspect(BodyOf(f.SSA), func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && r.Return == pos {
			found = r
		}
		return found == nil
	})
	return found
}

// outcomes are what f yields where e, one of its effects, fails.
func (p *Package) outcomes(f *Func, e *Effect, why cause) []*outcome {
	return p.failures.Ask(failing{e, why})
}

// A failing is an effect that fails, and why.
type failing struct {
	e   *Effect
	why cause
}

// makeOutcomes are what the function that has an effect yields where that fails.
func (p *Package) makeOutcomes(of failing) []*outcome {
	f := p.Of(of.e.At.Parent())
	if f == nil {
		return nil
	}
	var list []*outcome
	for _, o := range p.failing(f, of.e, of.why) {
		list = append(list, p.follow(f, of.e, o, of.why, nil).ends...)
	}
	return list
}

// failing are what the call of f yields that has the effect e, where e fails.
func (p *Package) failing(f *Func, e *Effect, why cause) []*outcome {
	call, ok := e.At.(*ssa.Call)
	if !ok || e.When != Inline {
		return nil
	}
	if e.Foreign != "" {
		return p.elsewhere(f, e, call)
	}
	if g := p.Body(&call.Call); g != nil {
		inner := p.within(g, e)
		if inner == nil {
			return nil
		}
		return p.outcomes(p.Of(g), inner, why)
	}
	if e.In == f.SSA && !p.Flow.Reaches(call, call) && p.yields(call, e) {
		return returned(&call.Call)
	}
	return nil
}

// elsewhere are the outcomes of a call of another package's function in which e fails.
func (p *Package) elsewhere(f *Func, e *Effect, call *ssa.Call) []*outcome {
	n := call.Call.Signature().Results().Len()
	if !e.Swallowed && len(e.Empty) != n {
		return returned(&call.Call)
	}
	var list []*outcome
	if e.Swallowed {
		list = append(list, &outcome{results: make([]fact, n), lost: p.swallow(f, e, nil)})
	}
	if len(e.Empty) == n {
		o := &outcome{results: make([]fact, n), tells: true, bare: true, lost: p.swallow(f, e, nil)}
		for i, empty := range e.Empty {
			if empty {
				o.results[i] = zero
			}
		}
		list = append(list, o)
	}
	return list
}

// returned is the outcome of a call that returns its error, if it has one.
func returned(c *ssa.CallCommon) []*outcome {
	res := c.Signature().Results()
	if res.Len() == 0 || !memory.IsErrorType(res.At(res.Len()-1).Type()) {
		return nil
	}
	return []*outcome{failure(c)}
}

// within is the effect of g that the effect e of a caller of g is.
func (p *Package) within(g *ssa.Function, e *Effect) *Effect {
	if e.of == nil || e.of.At == nil || e.of.At.Parent() != g {
		return nil
	}
	return e.of
}

// carriedWhole reports whether what the cycle writes is what was read with changes
// in it, not something else that has only numbers and times from there.
func (p *Package) carriedWhole(f *Func, c Cycle) bool {
	call, ok := c.Write.At.(ssa.CallInstruction)
	if !ok {
		return true
	}
	return slices.ContainsFunc(newSettler(f).settled(p.WholeSources(memory.CallArgs(call.Common())...), c.Write), func(s memory.Source) bool { return s.File() != nil && memory.SameFile(s.File(), c.File) })
}

// Swallowed reports whether f does not tell its caller that e, a Decode or a Read, has
// failed, and lists by result what is empty where it tells by that alone.
func (p *Package) Swallowed(f *Func, e *Effect) (silent bool, empty []bool) {
	for _, o := range p.outcomes(f, e, broken) {
		switch {
		case !o.tells:
			silent = true
		case o.bare && empty == nil:
			for _, r := range o.results {
				empty = append(empty, r == zero)
			}
		}
	}
	return silent, empty
}
