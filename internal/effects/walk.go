package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// walk visits the blocks so that what dominates comes first, then replays the
// deferred effects.
func (w *walker) walk() {
	for _, b := range w.f.SSA.DomPreorder() {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Call:
				w.call(i, &i.Call, Inline)
			case *ssa.Defer:
				w.call(i, &i.Call, Deferred)
			case *ssa.Go:
				w.spawn(i)
			case *ssa.Store:
				w.keep(i)
				w.assigned(i.Addr, i.Val, i)
			case *ssa.Lookup:
				w.entry(Consult, i.X, i.Index, i)
			case *ssa.MapUpdate:
				w.entry(Claim, i.Map, i.Key, i)
				w.assigned(i.Map, i.Value, i)
			case *ssa.Return:
				w.results(i)
			}
		}
	}
	w.f.Effects = append(w.f.Effects, lastFirst(w.deferred)...)
	w.derive()
	w.f.Effects = w.bounded(w.f.Effects)
	w.f.sublists = nil // of those that were settled, some may have gone
}

// lastFirst puts the effects of the last defer statement first; what one of
// them does keeps its order.
func lastFirst(deferred []*Effect) []*Effect {
	var list []*Effect
	for end := len(deferred); end > 0; {
		start := end - 1
		for start > 0 && deferred[start-1].At == deferred[start].At {
			start--
		}
		list = append(list, deferred[start:end]...)
		end = start
	}
	return list
}

// keep notes that a handle is put into a field.
func (w *walker) keep(st *ssa.Store) {
	addr, ok := st.Addr.(*ssa.FieldAddr)
	if !ok || !memory.IsOSFile(st.Val.Type()) {
		return
	}
	h, of := w.p.Term(st.Val), memory.StructOf(addr.X.Type())
	if h.Kind != pathexpr.Handle || of == nil {
		return
	}
	field := pathexpr.NewField(w.p.Term(addr.X), memory.NamedType(addr.X.Type()), of.Field(addr.Field).Name())
	e := w.note(StoreHandle, h.Path(), st)
	e.Handle, e.Target = h, field
}

// results unites what the returns of the function yield. A return of nothing
// but constants ("", nil) is an error path and says nothing of the path.
func (w *walker) results(r *ssa.Return) {
	if w.f.Results == nil {
		w.f.Results = make([]*pathexpr.Term, len(r.Results))
		w.f.OfResults = make([][]*Effect, len(r.Results))
	}
	for i := range r.Results {
		v := memory.Result(r, i)
		w.give(i, v)
		t := madeBy(w.f.Effects, w.p.Term(v))
		if t.File().Kind == pathexpr.Handle {
			w.note(Escape, t.Path(), r).Handle = t
		}
		switch {
		case t.Kind == pathexpr.Const && t.Text == "":
		case w.f.Results[i] == nil:
			w.f.Results[i] = t
		default:
			w.f.Results[i] = pathexpr.New(pathexpr.Alt, "", w.f.Results[i], t)
		}
	}
}

// call adds the effects of what is called.
func (w *walker) call(i ssa.Instruction, c *ssa.CallCommon, when When) {
	fn, args := w.p.CalleeOf(c), memory.CallArgs(c)
	if w.entryCall(fn, args, i, c, when) {
		return
	}
	if row, ok := known.Lookup(fn); fn != nil && ok && row.Op != known.None {
		w.known(row, i, c, when)
		return
	}
	if lit := w.p.Static(c); lit != nil && lit.Parent() != nil && lit.Pkg == w.p.SSA {
		w.splice(lit, args, i, c, when)
		return
	}
	if fn == nil {
		w.dynamic(i, c, when)
		return
	}
	if body := w.p.DeclaredBody(c, fn); body != nil {
		w.splice(body, args, i, c, when)
		return
	}
	if fact := w.p.Fact(fn); fact != nil {
		w.foreign(fact, fn, args, i, c, when)
		return
	}
	w.opaque(fn, args, i, c, when)
	w.literals(args, i, c, when)
}

// dynamic is a call of a function value. A parameter of the function, or of one around it, is
// called in its caller's name: the effect stays open until a caller says what it is.
func (w *walker) dynamic(i ssa.Instruction, c *ssa.CallCommon, when When) {
	if called := w.p.Term(c.Value); called.Kind == pathexpr.Param {
		w.add(&Effect{Action: Action{Kind: Invoke, Data: called, Args: w.p.ArgTerms(memory.CallArgs(c))}}, i, c, when)
		return
	}
	if fns := w.p.OneOf(c.Value); len(fns) > 0 && !w.choosing[c.Value] {
		w.perhaps(func() { w.oneOf(fns, i, c, when) })
		return
	}
	of := w.p.ofCalling(c.Value)
	for _, e := range of {
		if e.comesFrom(w.f.SSA) {
			continue
		}
		if call := w.p.calls[c.Pos()]; call != nil {
			e.Via = append([]*ast.CallExpr{call}, e.Via...)
		}
		w.add(e, i, c, when)
	}
	if len(of) == 0 {
		w.escape(i, c, when)
	}
}

// oneOf adds the effects of calling each of the functions of which one is called. Two variables that
// are given each other's value are followed once.
func (w *walker) oneOf(fns []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if w.choosing == nil {
		w.choosing = map[ssa.Value]bool{}
	}
	w.choosing[c.Value] = true
	defer delete(w.choosing, c.Value)
	for _, fn := range fns {
		one := *c
		one.Value = fn
		w.call(i, &one, when)
	}
}

// escape adds that a function of which nothing is known is given open files.
func (w *walker) escape(i ssa.Instruction, c *ssa.CallCommon, when When) {
	for _, a := range c.Args {
		if h := w.p.Term(a); h.File().Kind == pathexpr.Handle {
			w.add(&Effect{Action: Action{Kind: Escape, Handle: h, Path: h.Path(), Dropped: dropped(i)}}, i, c, when)
		}
	}
}

// literals are function literals handed to code that cannot be seen (a retry
// helper, a transaction): they are taken to be called at once, if at all.
func (w *walker) literals(args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	for _, a := range args {
		if lit := literal(a); lit != nil && lit.Pkg == w.p.SSA {
			w.perhaps(func() { w.splice(lit, nil, i, c, when) })
		}
	}
}

// perhaps marks the effects that add adds as ones that need not happen.
func (w *walker) perhaps(add func()) {
	n, m := len(w.f.Effects), len(w.deferred)
	add()
	for _, e := range slices.Concat(w.f.Effects[n:], w.deferred[m:]) {
		e.Maybe = true
	}
}

// spawn adds the effects of a goroutine. A lock that it takes is taken when the function goes on which
// starts it, where that waits on a channel: so one is taken that the caller can cease to wait for.
func (w *walker) spawn(g *ssa.Go) {
	n := len(w.f.Effects)
	w.call(g, &g.Call, Spawned)
	for i := range flow.Instrs(g.Parent()) {
		receive, ok := i.(*ssa.UnOp)
		if _, waits := i.(*ssa.Select); !waits && !(ok && receive.Op == token.ARROW) {
			continue
		}
		for _, e := range w.f.Effects[n:] {
			if e.Kind == Lock {
				e.When = Inline
			}
		}
		return
	}
}

// splice adds the effects of a function of the package in terms of this call.
func (w *walker) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	w.spliced(callee, args, w.p.ArgTerms(args), i, c, when)
}

// spliced does that for arguments of which only the terms may be known.
func (w *walker) spliced(
	callee *ssa.Function, args []ssa.Value, given []*pathexpr.Term, i ssa.Instruction, c *ssa.CallCommon, when When,
) {
	call := w.p.calls[c.Pos()]
	if callee.Parent() == nil {
		w.f.Callees = append(w.f.Callees, callee)
		w.p.callees[call] = callee
	}
	f := w.p.fn(callee)
	if f == nil {
		return
	}
	defer w.loaded(f.Fresh, i, c, when)
	if len(f.Effects) == 0 {
		return
	}
	terms := w.p.Lowered(given)
	data := w.p.NewRestater(args, terms.args, i)
	inCycle := w.p.funcs.Open(callee)
	summary := f.summaryEffects()
	if inCycle {
		summary = f.summaryInCycle()
	}
	full := len(w.f.Effects) > maxEffects // a call is taken whole
	for _, e := range summary {
		if full && !(callee.Parent() != nil && e.own()) {
			continue
		}
		if callee.Parent() == nil && (e.unresolvable() || e.distant()) || inCycle && e.comesFrom(w.f.SSA) {
			continue
		}
		if e.Kind == Invoke {
			w.invoke(e, args, terms, i, c, when)
			continue
		}
		ne := w.p.passedOn(e)
		ne.inCycle = ne.inCycle || inCycle
		ne.MapToCaller(terms)
		ne.restateData(data)
		if call != nil && callee.Parent() == nil {
			ne.Via = append([]*ast.CallExpr{call}, e.Via...)
		}
		if ne.When == Deferred {
			ne.When = Inline
		}
		w.add(ne, i, c, when)
	}
}

// invoke puts the effects of a literal where the callee calls its parameter.
func (w *walker) invoke(e *Effect, args []ssa.Value, terms lowering, i ssa.Instruction, c *ssa.CallCommon, when When) {
	given := make([]*pathexpr.Term, len(e.Args))
	for n, t := range e.Args {
		given[n] = terms.term(t)
	}
	switch {
	case e.Data.Kind != pathexpr.Param:
		return
	case e.Data.Index >= memory.Outer: // of the function around the literal that calls it
		w.add(&Effect{Action: Action{Kind: Invoke, Data: terms.term(e.Data), Args: given}}, i, c, when)
		return
	case e.Data.Index >= len(args):
		return
	}
	arg := args[e.Data.Index]
	if lit := literal(arg); lit != nil && lit.Pkg == w.p.SSA {
		w.spliced(lit, nil, given, i, c, when)
	} else if par, ok := arg.(*ssa.Parameter); ok {
		w.add(&Effect{Action: Action{Kind: Invoke, Data: w.p.Term(par), Args: given}}, i, c, when)
	}
}

// foreign adds what the fact of a function of another package says. Literals that
// it is given are called where the fact says so; those of which it does not say are
// taken to be called under the lock that it takes, if any.
func (w *walker) foreign(
	fact *Summary, fn *types.Func, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When,
) {
	terms, called := w.p.Lowered(w.p.ArgTerms(args)), false
	data := w.p.NewRestater(args, terms.args, i)
	others := slices.Clone(args)
	for _, s := range fact.Effects {
		if s.Kind == Invoke && s.Data.Index < len(args) {
			others[s.Data.Index] = nil
		}
	}
	for _, s := range fact.Effects {
		if s.Kind == Unlock && !called {
			w.literals(others, i, c, when)
			called = true
		}
		e := s.effect()
		if e.Kind == Invoke {
			w.perhaps(func() { w.invoke(e, args, terms, i, c, when) })
			continue
		}
		e.Reported = e.Reported || !fromCaller(s.Path)
		e.MapToCaller(terms)
		e.restateData(data)
		e.Foreign = fn.FullName()
		w.add(e, i, c, when)
	}
	if !called {
		w.literals(others, i, c, when)
	}
	w.loaded(fact.Loads, i, c, when)
}

// opaque is a call of code that cannot be seen. What it gets of a handle it may
// use; a method on a wrapper is known by its name.
func (w *walker) opaque(fn *types.Func, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	for n, a := range args {
		t := w.p.Term(a)
		if t.File().Kind != pathexpr.Handle {
			continue
		}
		e := &Effect{Action: Action{Kind: Escape, Handle: t, Path: t.Path(), Dropped: dropped(i)}}
		switch {
		case n == 0 && IsMethod(fn) && (fn.Name() == "Flush" || fn.Name() == "Close"):
			e.Kind = Flush
		case t.Kind == pathexpr.Wrap && isReader(a.Type()):
			e.Kind = Read
		case Encodes(fn.Name()):
			e.Kind, e.Data = Write, pathexpr.New(pathexpr.Encoded, memory.Codec(fn))
		case strings.Contains(strings.ToLower(fn.Name()), "copy"):
			e.Kind, e.Data = Write, pathexpr.New(pathexpr.Content, "", otherFile(w.p.ArgTerms(args), t))
		case !memory.IsOSFile(a.Type()):
			e.Kind = Write
		}
		w.add(e, i, c, when)
	}
}

// otherFile is the file among the arguments of a copy that is not h.
func otherFile(args []*pathexpr.Term, h *pathexpr.Term) *pathexpr.Term {
	for _, a := range args {
		if a.File().Key() != h.File().Key() {
			return a
		}
	}
	return pathexpr.New(pathexpr.Unknown, "")
}

// IsMethod reports whether a function has a receiver.
func IsMethod(fn *types.Func) bool { return fn.Signature().Recv() != nil }

func isReader(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Read")
	wr, _, _ := types.LookupFieldOrMethod(t, true, nil, "Write")
	return obj != nil && wr == nil
}

// Encodes reports whether a function is named as one that encodes what it is given.
func Encodes(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "encode") || strings.Contains(name, "marshal") || strings.Contains(name, "serialize")
}

// dropped reports whether nobody looks at the error of a call.
func dropped(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return true
	}
	n := call.Call.Signature().Results().Len()
	if n == 0 {
		return false
	}
	if n == 1 {
		return len(flow.Uses(call)) == 0
	}
	for _, r := range flow.Uses(call) {
		if x, ok := r.(*ssa.Extract); ok && x.Index == n-1 && len(flow.Uses(x)) > 0 {
			return false
		}
	}
	return true
}

// known adds what the tables say of a call.
func (w *walker) known(row known.Row, i ssa.Instruction, c *ssa.CallCommon, when When) {
	args := memory.CallArgs(c)
	arg := func(n int) *pathexpr.Term {
		if n < 0 || n >= len(args) {
			return nil
		}
		return w.p.Term(args[n])
	}
	add := func(e *Effect) {
		e.Dropped = dropped(i)
		w.add(e, i, c, when)
	}
	a, b := arg(row.A), arg(row.B)
	if known.UnderRoot(w.p.CalleeOf(c)) {
		a, b = memory.UnderRoot(row, arg(0), a, b)
	}
	switch row.Op {
	case known.WriteFile:
		h := pathexpr.New(pathexpr.Handle, w.p.instrID(i), a)
		add(&Effect{Action: Action{Kind: Truncate, Path: a, Handle: h, Data: b, Whole: true, Makes: true}})
		add(&Effect{Action: Action{Kind: Write, Path: a, Handle: h, Data: b}, bytes: others(args, row.A)})
		add(&Effect{Action: Action{Kind: Close, Path: a, Handle: h}})
	case known.Save:
		if !inMemory(w.p.ArgTerms(args)) {
			w.save(a, b, b != nil && isContent(args[row.B].Type()), others(args, row.A), i, c, add)
		}
	case known.SaveOwn:
		w.save(w.ownFile(args, c), nil, false, nil, i, c, add)
	case known.LoadOwn:
		path := w.ownFile(args, c)
		add(&Effect{Action: Action{Kind: Read, Path: path}})
		add(&Effect{Action: Action{Kind: Decode, Data: pathexpr.New(pathexpr.Content, "", path)}})
	case known.Create:
		add(&Effect{Action: Action{Kind: Truncate, Path: a, Handle: w.result(i, a), ReturnsHandle: true, Makes: true}})
	case known.Open:
		add(&Effect{Action: Action{Kind: Read, Path: a, Handle: w.result(i, a), ReturnsHandle: true}})
	case known.OpenFile:
		w.openFile(a, args[row.B], i, add)
	case known.CreateTemp, known.Pending:
		if h := w.result(i, a); h != nil {
			add(&Effect{Action: Action{Kind: CreateExclusive, Path: h.Path(), Handle: h}})
		}
	case known.ReadFile:
		add(&Effect{Action: Action{Kind: Read, Path: a}})
	case known.Rename:
		add(&Effect{Action: Action{Kind: Rename, Path: a, Target: b}})
	case known.EnsureDir:
		add(&Effect{Action: Action{Kind: EnsureDir, Path: a, Data: b}})
	case known.Link:
		add(&Effect{Action: Action{Kind: Link, Path: a, Target: b}})
	case known.TruncatePath:
		add(&Effect{Action: Action{Kind: cutTo(b), Path: a}})
	case known.Truncate:
		// A handle that neither this code nor a caller opens, such as a locked file, has no
		// path to speak of; that of a field is found when all functions are known.
		switch a.File().Kind {
		case pathexpr.Handle, pathexpr.Param, pathexpr.Field:
			add(&Effect{Action: Action{Kind: cutTo(b), Path: a.Path(), Handle: a}})
		}
	case known.Replace:
		add(&Effect{Action: Action{Kind: Replace, Path: a, Data: b}, bytes: others(args, row.A)})
	case known.ReplaceBy:
		e := &Effect{Action: Action{Kind: Replace, Path: a}}
		w.writtenBy(args[row.B], e, i, c, when)
		add(e)
	case known.Decode:
		add(&Effect{Action: Action{Kind: Decode, Data: a}})
		w.decoded(row, args, i, c, when)
	case known.DecodeFrom:
		add(&Effect{Action: Action{Kind: Decode, Data: pathexpr.New(pathexpr.Content, "", a), Handle: a, Path: a.Path()}})
		w.decoded(row, args, i, c, when)
	case known.EncodeTo:
		codec := w.codecOf(a, c)
		add(
			&Effect{
				Action: Action{Kind: Write, Handle: a, Path: a.Path(), Data: encodedFrom(codec, b)},
				Line:   memory.LineOfEncoder(codec),
				bytes:  others(args, row.A),
			},
		)
	case known.Template:
		add(
			&Effect{
				Action: Action{Kind: Write, Handle: a, Path: a.Path(), Data: pathexpr.New(pathexpr.Made, "")},
				bytes:  others(args, row.A),
			},
		)
	case known.Copy:
		add(
			&Effect{
				Action: Action{Kind: Write, Handle: a, Path: a.Path(), Data: pathexpr.New(pathexpr.Content, "", b)},
				bytes:  others(args, row.A),
			},
		)
	case known.Write, known.WriteAt:
		add(
			&Effect{
				Action: Action{Kind: Write, Handle: a, Path: a.Path(), Data: b, Whole: row.Op == known.WriteAt},
				Line:   w.p.LineOf(args[row.B]),
				bytes:  others(args, row.A),
			},
		)
	case known.Render, known.RenderLine:
		e := &Effect{Action: Action{Kind: Write, Handle: a, Path: a.Path()}, bytes: others(args, row.A)}
		e.Line = w.p.LineOfRender(row, args)
		add(e)
	case known.Update:
		lock := pathexpr.New(pathexpr.LockHandle, w.p.instrID(i), memory.LockBeside(a))
		add(&Effect{Action: Action{Kind: Lock, Handle: lock, SeparateLockFile: true}})
		w.literals(args, i, c, when)
		add(&Effect{Action: Action{Kind: Unlock, Handle: lock, SeparateLockFile: true}})
	case known.Unlock:
		add(&Effect{Action: Action{Kind: Unlock, Handle: a, SeparateLockFile: isLock(args[row.A].Type())}})
	default:
		if e := w.lock(row, i, args); e != nil {
			e.SeparateLockFile = row.Op.Beside() || isLock(args[row.A].Type())
			add(e)
		}
		if kind, ok := simple[row.Op]; ok {
			add(&Effect{Action: Action{Kind: kind, Path: a.Path(), Handle: a}})
		}
	}
}

// save is the rewriting of a file by a function of another package: with raw bytes
// that it is given, or with what it makes of a value. That package itself is judged by
// what the function does.
func (w *walker) save(
	path, v *pathexpr.Term, raw bool, content []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, add func(*Effect),
) {
	fn := w.p.CalleeOf(c)
	if fn.Pkg() == w.p.Pass.Pkg {
		return
	}
	data := v
	if !raw {
		data = encodedFrom(memory.Codec(fn), v)
	}
	h := pathexpr.New(pathexpr.Handle, w.p.instrID(i), path)
	cut := Action{Kind: Truncate, Path: path, Handle: h, Data: data, Whole: true, Makes: true}
	add(&Effect{Action: cut, Foreign: fn.FullName()})
	add(&Effect{Action: Action{Kind: Write, Path: path, Handle: h, Data: data}, Foreign: fn.FullName(), bytes: content})
}

// writtenBy says of the replacement e of a file what a function writes to the fresh path that it
// is called with.
func (w *walker) writtenBy(save ssa.Value, e *Effect, i ssa.Instruction, c *ssa.CallCommon, when When) {
	e.Data = pathexpr.New(pathexpr.Made, "")
	fn := literal(save)
	if fn != nil && fn.Pkg == w.p.SSA {
		temp, n := pathexpr.New(pathexpr.Fresh, w.p.instrID(i)), len(w.f.Effects)
		w.spliced(fn, nil, []*pathexpr.Term{temp}, i, c, when)
		for _, inner := range w.f.Effects[n:] {
			if inner.Kind == Write && inner.Data != nil && memory.SameFile(inner.Path, temp) {
				e.Data, e.From = inner.Data, slices.Clone(inner.From)
			}
		}
		return
	}
	if bound, ok := save.(*ssa.MakeClosure); ok {
		e.bytes = bound.Bindings
	} else if fn, ok = save.(*ssa.Function); !ok {
		return
	}
	method, _ := fn.Object().(*types.Func) // of which fn is the value
	if row, ok := known.Lookup(method); ok && row.Op == known.Save {
		var v *pathexpr.Term
		if row.B >= 0 && row.B < len(e.bytes) {
			v = w.p.Term(e.bytes[row.B])
		}
		e.Data = encodedFrom(memory.Codec(method), v)
	}
}

// isContent reports whether values of the type are the content of a file, or give it, and
// nothing that has to be encoded first.
func isContent(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	text, _ := t.Underlying().(*types.Basic)
	return memory.IsBytes(t) || text != nil && text.Info()&types.IsString != 0 ||
		ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "io" && named.Obj().Name() == "Reader"
}

// inMemory reports whether one of the arguments is a file system that ends with the
// program.
func inMemory(args []*pathexpr.Term) bool {
	return slices.ContainsFunc(args, func(a *pathexpr.Term) bool {
		return a.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Call && t.Text == known.MemoryFS })
	})
}

// ownFile is the path that a function of another package knows.
func (w *walker) ownFile(args []ssa.Value, c *ssa.CallCommon) *pathexpr.Term {
	return pathexpr.New(pathexpr.Call, known.OwnFile(w.p.CalleeOf(c)), w.p.ArgTerms(args)...)
}

func encodedFrom(codec string, v *pathexpr.Term) *pathexpr.Term {
	if v == nil {
		return pathexpr.New(pathexpr.Encoded, codec)
	}
	return pathexpr.New(pathexpr.Encoded, codec, v)
}

// simple lists the operations on one path or handle.
var simple = map[known.Op]Kind{
	known.Remove: Remove, known.Mkdir: MakeDir, known.Stat: Stat, known.List: List, known.Read: Read, known.ReadAll: Read,
	known.Flush: Flush, known.Sync: Sync, known.Close: Close, known.Seek: Seek,
	known.Acquire: Acquire, known.Release: Release,
}

// cutTo is what a cut to a size does: to zero it empties the file, to any other
// it keeps the beginning on purpose.
func cutTo(size *pathexpr.Term) Kind {
	if size != nil && size.Kind == pathexpr.Const && size.Text == "0" {
		return Truncate
	}
	return TruncateTo
}

// codecOf names what encodes: the wrapper's package, or the callee's.
func (w *walker) codecOf(h *pathexpr.Term, c *ssa.CallCommon) string {
	if h.Kind == pathexpr.Wrap {
		return h.Text
	}
	if fn := w.p.CalleeOf(c); fn != nil {
		return memory.Codec(fn)
	}
	return "encoder"
}
