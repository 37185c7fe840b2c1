package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Reaches reports whether b can happen after a in one run of the function:
// control leads from a to b, or b is deferred and a is not.
func Reaches(a, b *Effect) bool {
	switch {
	case a == b || a.When == Spawned || b.When == Spawned || a.instr == nil || b.instr == nil:
		return false
	case a.When == Deferred && b.When == Deferred:
		return a.instr == b.instr && a.seq < b.seq || a.instr != b.instr && a.flow.Reaches(b.instr, a.instr)
	case a.When == Deferred:
		return false
	case b.When == Deferred:
		return true
	case a.instr == b.instr && a.seq < b.seq:
		return true
	}
	return a.flow.Reaches(a.instr, b.instr)
}

// Follows reports whether b comes after a whenever both are met: a happens
// before b, or b is deferred and a is not, or both are deferred and a is
// deferred later.
func Follows(a, b *Effect) bool {
	if a.When == Deferred && b.When == Deferred {
		return Reaches(a, b) && !Reaches(b, a)
	}
	return a.When == Inline && (b.When == Deferred || Before(a, b))
}

// Locked reports whether a lock between processes is held at e, and no other
// process can hold it at the same time.
func (f *Func) Locked(e *Effect) bool {
	held := false
	for _, l := range f.OfKind(Lock, Unlock) {
		switch {
		case l.Kind == Lock && !l.Shared && Before(l, e):
			held = true
		case l.Kind == Unlock && l.When == Inline && Before(l, e):
			held = false
		}
	}
	return held
}

// LeadsTo reports whether f calls g or is the function around it.
func (f *Func) LeadsTo(g *Func) bool {
	for fn := g.SSA.Parent(); fn != nil; fn = fn.Parent() {
		if fn == f.SSA {
			return true
		}
	}
	return f != g && slices.Contains(f.Callees, g.SSA)
}

// Recursive reports whether two functions lead to each other, or are the same.
func (f *Func) Recursive(g *Func) bool { return f.component == g.component }

// LockOf reports whether l takes or lets go of a lock on the file behind h: on
// the handle, or on the field that keeps it.
func (f *Func) LockOf(l *Effect, h *pathexpr.Term) bool {
	return l.On(h) || slices.ContainsFunc(f.OfKind(Keep), func(k *Effect) bool {
		return k.On(h) && SameFile(k.Target, l.Handle)
	})
}

// Beside reports whether the lock l is made for the file at path: its own path
// contains that one, or both stand in one directory.
func Beside(l *Effect, path *pathexpr.Term) bool {
	if l.Path == nil || path == nil {
		return false
	}
	path = path.Path()
	if l.Path.Any(func(t *pathexpr.Term) bool { return t.Key() == path.Key() || t.Extends(path) }) {
		return true
	}
	dir := path.Dir()
	return dir != nil && l.Path.Any(func(t *pathexpr.Term) bool { return t.Dir() != nil && t.Dir().Key() == dir.Key() })
}

// Outlives reports whether the handle is still in use when the function has
// returned: it is returned or kept in a field.
func (f *Func) Outlives(h *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(Keep, Escape), func(e *Effect) bool {
		return (e.Kind == Keep || e.Call == nil) && e.On(h)
	})
}

// Beneath is the file that a field's buffered writer writes to: another field of
// the same struct. It is nil where that is not known.
func (p *Package) Beneath(w *pathexpr.Term) *pathexpr.Term {
	if w == nil || w.Kind != pathexpr.Field {
		return nil
	}
	v := p.writers[w.Type+"."+w.Text]
	if v == nil {
		return nil
	}
	under := p.term(v).File()
	if p.term(v).Kind != pathexpr.Wrap {
		return nil
	}
	if f := p.byFn[v.Parent()]; f != nil && under.Kind == pathexpr.Handle {
		for _, e := range f.Effects {
			if e.Kind == Keep && e.On(under) {
				under = e.Target
			}
		}
	}
	if under.Kind != pathexpr.Field || under.Type != w.Type {
		return nil
	}
	return pathexpr.NewField(w.Args[0], under.Type, under.Text)
}

// An Opener is a call that opens a file which is put into a field, and the
// function that puts it there.
type Opener struct {
	Func *Func
	Open *Effect
}

// Openers lists the calls that open the file in the field h, wherever the package
// puts one there; none where one of them is not known.
func (p *Package) Openers(h *pathexpr.Term) []Opener {
	if h.Kind != pathexpr.Field {
		return nil
	}
	var list []Opener
	for _, f := range p.Funcs {
		for _, k := range f.OfKind(Keep) {
			if len(k.Via) > 0 || k.Target.Type != h.Type || k.Target.Text != h.Text {
				continue
			}
			i := slices.IndexFunc(f.Effects, func(o *Effect) bool { return o.Opens && o.On(k.Handle) })
			if i < 0 {
				return nil
			}
			list = append(list, Opener{f, f.Effects[i]})
		}
	}
	if len(list) != p.puts(h) {
		return nil
	}
	return list
}

// puts counts the places that put something into a field of a type of the package.
func (p *Package) puts(h *pathexpr.Term) int {
	tn, ok := p.pass.Pkg.Scope().Lookup(strings.TrimPrefix(h.Type, p.pass.Pkg.Path()+".")).(*types.TypeName)
	if !ok || structOf(tn.Type()) == nil {
		return 0
	}
	for v := range structOf(tn.Type()).Fields() {
		if st := p.stores[v]; st != nil && v.Name() == h.Text {
			return st.n
		}
	}
	return 0
}

// Repeats reports whether a run of the function can come to e more than once for
// one file that open opens.
func Repeats(open, e *Effect) bool {
	if open.instr == nil || e.instr == nil || open.instr == e.instr {
		return false
	}
	at, past := e.instr.Block(), open.instr.Block()
	return flow.Search{ToEnd: true, Block: func(b *ssa.BasicBlock) flow.Step {
		switch b {
		case past:
			return flow.Stop
		case at:
			return flow.Found
		}
		return flow.Go
	}}.After(e.flow, e.instr)
}

// isWriter reports whether a value of the type can be written to.
func isWriter(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Write")
	_, ok := obj.(*types.Func)
	return ok
}

// NamedByImporters is where a package that others import is given the path: the
// parameter of an exported function that is stored, as it is, in the field that
// the path is. It is NoPos for any other path, and for commands and internal
// packages, whose importers can all be seen.
func (p *Package) NamedByImporters(path *pathexpr.Term) token.Pos {
	if path.Kind != pathexpr.Field || p.pass.Pkg.Name() == "main" || slices.Contains(strings.Split(p.pass.Pkg.Path(), "/"), "internal") {
		return token.NoPos
	}
	first := token.NoPos
	for v, val := range p.fields {
		par, ok := val.(*ssa.Parameter)
		if !ok || v.Name() != path.Text || par.Parent().Object() == nil || !par.Parent().Object().Exported() {
			continue
		}
		if typ, ok := ownerOf(p.pass.Pkg, v); ok && typ == path.Type && (first == token.NoPos || par.Pos() < first) {
			first = par.Pos()
		}
	}
	return first
}

// ownerOf is the exported type of the package that declares a field, with its
// import path.
func ownerOf(pkg *types.Package, field *types.Var) (string, bool) {
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() {
			continue
		}
		st, ok := tn.Type().Underlying().(*types.Struct)
		for i := 0; ok && i < st.NumFields(); i++ {
			if st.Field(i) == field {
				return pkg.Path() + "." + name, true
			}
		}
	}
	return "", false
}

// Others is an effect on the file of made by a function of the package that body
// is no part of, and that does not come about through it; nil for none. ok is
// whether the package says at all which file it is.
func (p *Package) Others(made *Effect, body ast.Node) (other *Effect, ok bool) {
	within := func(pos token.Pos) bool { return body.Pos() <= pos && pos < body.End() }
	keys := map[string]bool{}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			if e.Pos == made.Pos && e.Kind == made.Kind {
				for _, key := range names(madePath(e)) {
					keys[key] = true
				}
			}
		}
	}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			through := within(e.Pos) || slices.ContainsFunc(e.Via, func(v *ast.CallExpr) bool { return within(v.Pos()) })
			if !through && slices.ContainsFunc(names(e.Path), func(key string) bool { return keys[key] }) {
				return e, true
			}
		}
	}
	return nil, len(keys) > 0
}

// names are what a path is called in every function of the package: as a whole, and
// by its last part, since functions spell one directory in several ways.
func names(path *pathexpr.Term) []string {
	if path == nil {
		return nil
	}
	var list []string
	for _, t := range []*pathexpr.Term{path, path.Path(), path.Expanded()} {
		if key := t.Abstract(); key != "" {
			list = append(list, key, "last "+t.Last().Abstract())
		}
	}
	return slices.DeleteFunc(list, func(key string) bool { return key == "last " })
}
