package clobber

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A put is a write, the file that its content ends up in, and the effect that changes
// that: the write, or the rename behind it.
type put struct {
	file        *pathexpr.Term
	write, last *effects.Effect
}

// saving is the function of the package that writes again what load, an effect of
// f, has decoded: to the same file, from the memory that f has put it into. One
// that loads the file itself, or moves the old one aside, does not count; one that
// is exported comes first. It is nil where there is none.
func saving(p *failure.Package, f *effects.Func, load *effects.Effect) (saver *effects.Func, how put) {
	file := failure.File(load)
	keys, kept := families(p, f, file), storedBy(p, f, file)
	if len(keys) == 0 || len(kept) == 0 {
		return nil, put{}
	}
	same := func(path *pathexpr.Term) bool { return slices.Contains(keys, path.PackageKey()) }
	for _, g := range p.Funcs {
		if saver != nil && !token.IsExported(g.SSA.Name()) {
			continue
		}
		if g != f && slices.ContainsFunc(g.Effects, func(e *effects.Effect) bool {
			return e.Kind == effects.Decode && same(failure.File(e)) || failure.MovesAway(e) && same(e.Path)
		}) {
			continue
		}
		puts := putsOf(g)
		i := slices.IndexFunc(puts, func(w put) bool {
			return same(w.file) && !isRaw(w.write) && writesStored(w.write, kept) &&
				(g != f || effects.Reaches(load, w.last))
		})
		if i < 0 {
			continue
		}
		if saver, how = g, puts[i]; token.IsExported(g.SSA.Name()) {
			break
		}
	}
	return saver, how
}

// looksOnly reports whether a function decodes what another one has read, and yields
// nothing but texts and numbers of it: what is saved comes from another load.
func looksOnly(f *effects.Func) bool {
	sig, given := f.SSA.Signature, false
	for v := range sig.Params().Variables() {
		given = given || memory.IsBytes(v.Type())
	}
	keeps := func(e *effects.Effect) bool { return memory.IsRooted(e.Target) }
	return given && cycles.OnlyDetails(sig) && !slices.ContainsFunc(f.OfKind(effects.StoreLoaded), keeps)
}

// isRaw reports whether what a write writes is a text of an object as it is, which nobody has
// to decode.
func isRaw(w *effects.Effect) bool { return w.Data != nil && w.Data.Kind == pathexpr.Field }

// families are the keys of the file in other functions: its own, and that of a
// field that f puts its path into.
func families(p *failure.Package, f *effects.Func, file *pathexpr.Term) []string {
	if file == nil {
		return nil
	}
	list := []string{file.PackageKey()}
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok || !memory.IsString(st.Val.Type()) || p.Term(st.Val).Key() != file.Key() {
				continue
			}
			if addr, ok := st.Addr.(*ssa.FieldAddr); ok {
				list = append(list, p.Memory(addr).PackageKey())
			}
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// putsOf are the writes of a function, each to the file itself and behind each rename.
func putsOf(f *effects.Func) []put {
	var list []put
	for _, w := range f.OfKind(effects.Write, effects.Replace) {
		if w.Path == nil {
			continue
		}
		list = append(list, put{effects.PendingFor(w.Path), w, w})
		for _, e := range f.OfKind(effects.Rename) {
			if memory.SameFile(e.Path, w.Path) {
				list = append(list, put{e.Target, w, e})
			}
		}
	}
	return list
}

// storedBy names the memory that f puts the content of a file into, or returns.
func storedBy(p *failure.Package, f *effects.Func, file *pathexpr.Term) []string {
	var list []string
	isOf := func(s memory.Source) bool { return s.File() != nil && memory.SameFile(s.File(), file) }
	holds := func(from []memory.Source) bool { return slices.ContainsFunc(from, isOf) }
	for _, e := range f.Effects {
		if e.Kind == effects.StoreLoaded && holds(e.From) {
			list = append(list, memoryName(e.Target))
		}
	}
	res := f.SSA.Signature.Results()
	for i := range res.Len() {
		if holds(p.From(f.SSA, i)) {
			list = append(append(list, memory.NamedType(res.At(i).Type())), resultStoredIn(p, f, i)...)
		}
	}
	list = append(list, storedByCalls(p, f, holds)...)
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// storedByCalls names the memory into which functions that f calls put what they are given of the
// file, as the method of a store does that f has in a field.
func storedByCalls(p *failure.Package, f *effects.Func, holds func([]memory.Source) bool) []string {
	var list []string
	reaching := effects.NewDefinitions(f)
	for i := range flow.Instrs(f.SSA) {
		call, ok := i.(*ssa.Call)
		if !ok || p.Body(&call.Call) == nil {
			continue
		}
		args := memory.CallArgs(&call.Call)
		var terms []*pathexpr.Term
		for _, arg := range args {
			terms = append(terms, p.Term(arg))
		}
		in := p.NewRestater(args, terms, call)
		for n, arg := range args {
			if memory.CarriesData(arg.Type()) && holds(reaching.Reaching(p.Sources(arg), nil)) {
				for _, m := range storesParameter(p, p.Body(&call.Call), n) {
					list = append(list, memoryName(in.Memory(m)))
				}
			}
		}
	}
	return list
}

// storesParameter is the memory of a function's arguments into which it puts parameter n.
func storesParameter(p *failure.Package, fn *ssa.Function, n int) (list []*pathexpr.Term) {
	for i := range flow.Instrs(fn) {
		var at, v ssa.Value
		switch i := i.(type) {
		case *ssa.Store:
			at, v = i.Addr, i.Val
		case *ssa.MapUpdate:
			at, v = i.Map, i.Value
		default:
			continue
		}
		m := p.Memory(at)
		if m != nil && memory.IsRooted(m) && slices.ContainsFunc(p.Sources(v), func(s memory.Source) bool {
			return s.Term.Kind == pathexpr.Param && s.Term.Index == n
		}) {
			list = append(list, m)
		}
	}
	return list
}

// resultStoredIn names the memory that callers of f put its result i into.
func resultStoredIn(p *failure.Package, f *effects.Func, i int) []string {
	var list []string
	for _, g := range p.Funcs {
		for _, b := range g.SSA.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok || !memory.CarriesData(st.Val.Type()) || memory.IsSmall(st.Val.Type()) {
					continue
				}
				x, multiple := st.Val.(*ssa.Extract)
				call := memory.CallBehind(st.Val)
				if call == nil || p.Body(&call.Call) != f.SSA ||
					multiple != (f.SSA.Signature.Results().Len() > 1) || multiple && x.Index != i {
					continue
				}
				if m := p.Memory(st.Addr); m != nil {
					list = append(list, memoryName(m))
				}
			}
		}
	}
	return list
}

// writesStored reports whether what w writes derives from memory of one of the names.
func writesStored(w *effects.Effect, kept []string) bool {
	for _, s := range w.From {
		if s.File() != nil {
			continue
		}
		name := memoryName(s.Term)
		if name != "" && slices.ContainsFunc(kept, func(k string) bool {
			return k == name || strings.HasPrefix(k, name+".") || strings.HasPrefix(name, k+".")
		}) {
			return true
		}
	}
	return false
}

// memoryName is the same for the same memory of all objects of a type; it is empty
// for memory that nothing names.
func memoryName(m *pathexpr.Term) string {
	switch m.Kind {
	case pathexpr.Param:
		return m.Type
	case pathexpr.Global:
		return "var " + m.Text
	case pathexpr.Field:
		of := memoryName(m.Args[0])
		if of == "" {
			of = m.Type
		}
		if of != "" {
			return of + "." + m.Text
		}
	}
	return ""
}
