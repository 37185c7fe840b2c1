package effects

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// objects notes which of the function's writes save an object, or memory of it, to a
// file that it names itself, and which of its results are objects that it has loaded.
func (w *walker) objects() {
	for _, e := range w.f.Effects {
		switch {
		case e.Object != nil:
		case e.Kind == Write || e.Kind == Replace:
			e.Object = w.f.saved(e)
		case e.Kind == Fill && e.Target.Kind != pathexpr.Field && fromFile(e):
			e.Object = e.Target
		}
	}
	for _, b := range w.f.SSA.Blocks {
		if r := flow.ReturnOf(b); r != nil {
			w.yields(r)
		}
	}
}

// parts notes which effects load a part of an object from the file that it names. What
// is made of memory that has been loaded before is not asked for, and no load.
func (w *walker) parts() {
	for _, e := range w.f.Effects {
		if e.Kind != Fill || e.Target.Kind != pathexpr.Field || e.Object != nil && e.Object.Kind != pathexpr.Field {
			continue
		}
		object := memory.RootOf(e.Target)
		if slices.ContainsFunc(e.From, func(s memory.Source) bool {
			return s.File() != nil && (ownFile(object, s.File()) || w.givesFile(object, s.File()))
		}) {
			e.Object = object
		}
	}
}

// givesFile reports whether the function makes an object, and gives it the path of a
// file, or a part of that.
func (w *walker) givesFile(object, file *pathexpr.Term) bool {
	if object.Kind != pathexpr.Unknown {
		return false
	}
	for _, b := range w.f.SSA.Blocks {
		for _, i := range b.Instrs {
			a, ok := i.(*ssa.Alloc)
			if !ok {
				continue
			}
			if m := w.p.Memory(a); m != nil && m.Key() == object.Key() {
				return file.Any(func(t *pathexpr.Term) bool { return t.Kind != pathexpr.Const && w.p.names(a, t) })
			}
		}
	}
	return false
}

func fromFile(e *Effect) bool {
	return slices.ContainsFunc(e.From, func(s memory.Source) bool { return s.File() != nil })
}

// ownFile reports whether an object has the path of a file in one of its fields.
func ownFile(object, file *pathexpr.Term) bool {
	key := object.Key()
	return file.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Field && t.Args[0].Key() == key })
}

// saved is the object that a write saves: one that the function is given, and that
// names the file.
func (f *Func) saved(w *Effect) *pathexpr.Term {
	file, _ := f.Saves(w)
	if file == nil {
		return nil
	}
	for _, s := range w.From {
		if object := memory.RootOf(s.Term); object.Kind == pathexpr.Param && object.Type != "" && ownFile(object, file) {
			return object
		}
	}
	return nil
}

// yields notes the results of a return that are loaded whole.
func (w *walker) yields(r *ssa.Return) {
	for i, v := range r.Results {
		v = unwrapped(v)
		if named(v.Type()) == nil {
			continue
		}
		m := w.p.Memory(v)
		if m == nil || memory.IsRooted(m) || !slices.ContainsFunc(w.f.Effects, func(e *Effect) bool {
			return (e.Kind == Fill || e.Kind == Load) && e.Object != nil && e.Object.Key() == m.Key()
		}) {
			continue
		}
		if w.f.fresh == nil {
			w.f.fresh = make([]bool, len(r.Results))
		}
		w.f.fresh[i] = true
	}
}

// SavesStale reports whether a write of f saves an object that f was given, and has
// changed, as somebody has loaded it before: nothing of f loads it again, not even
// on another way, as where it is made only if there is none.
func (p *Package) SavesStale(f *Func, w *Effect) bool {
	if w.Object == nil || w.Object.Kind != pathexpr.Param || w.Object.Index >= memory.Outer || w.At == nil {
		return false
	}
	key := w.Object.Key()
	return !slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		return e.Kind == Fill && e.Object != nil && e.Object.Key() == key
	}) && (p.Changes(f, w) || p.changesBelow(f, w))
}

// Changes reports whether f itself, and not only what it saves it by, assigns to memory
// of the object that w saves before it does.
func (p *Package) Changes(f *Func, w *Effect) bool {
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			at := changed(i)
			if at == nil || !p.Flow.Reaches(i, w.At) {
				continue
			}
			if m := p.Memory(at); m != nil && m.Kind == pathexpr.Field && memory.RootOf(m).Key() == w.Object.Key() {
				return true
			}
		}
	}
	return false
}

// changed is the memory that an instruction changes, nil for none.
func changed(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.Store:
		return i.Addr
	case *ssa.MapUpdate:
		return i.Map
	case *ssa.Call:
		if d, ok := i.Call.Value.(*ssa.Builtin); ok && d.Name() == "delete" {
			return i.Call.Args[0]
		}
	}
	return nil
}

// changesBelow reports whether the function does so by which f saves it.
func (p *Package) changesBelow(f *Func, w *Effect) bool {
	if len(w.Via) == 0 {
		return false
	}
	g := p.Callee(w.Via[0])
	if g == nil || g == f {
		return false
	}
	inner := p.within(g.SSA, w)
	return inner != nil && p.SavesStale(g, inner)
}

// LoadsFor reports whether a call is one of f, and the object that f is given there
// always loaded before.
func (p *Package) LoadsFor(f *Func, call ssa.CallInstruction, object *pathexpr.Term) bool {
	g, args := p.Of(call.Parent()), memory.CallArgs(call.Common())
	if g == nil || p.Body(call.Common()) != f.SSA || object.Index >= len(args) {
		return false
	}
	m := p.Memory(args[object.Index])
	return m != nil && slices.ContainsFunc(g.Effects, func(e *Effect) bool {
		return (e.Kind == Fill || e.Kind == Load) && e.When == Inline && e.Object != nil && e.Object.Key() == m.Key() && p.Flow.Dominates(e.At, call)
	})
}

// Loaded reports whether a function of the package of a type, or of this one, loads
// objects of the type from files.
func (p *Package) Loaded(object *pathexpr.Term) bool {
	if p.MadeLoaded(object) || slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		return slices.ContainsFunc(f.Effects, func(e *Effect) bool { return e.Kind == Fill && e.Object != nil && e.Object.Type == object.Type })
	}) {
		return true
	}
	return slices.ContainsFunc(p.Pass.Pkg.Imports(), func(pkg *types.Package) bool {
		return strings.HasPrefix(object.Type, pkg.Path()+".") && p.loadedBy(pkg, object.Type)
	})
}

// loadedBy reports whether a function of another package loads objects of a type.
func (p *Package) loadedBy(pkg *types.Package, typ string) bool {
	for _, name := range pkg.Scope().Names() {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok {
			continue
		}
		if fact := p.fact(fn); fact != nil {
			for i, loads := range fact.Loads {
				if loads && memory.NamedType(fn.Signature().Results().At(i).Type()) == typ {
					return true
				}
			}
		}
	}
	return false
}

// Reread reports whether a method of an object's type loads the object again that is
// in use: the program expects that others change its file.
func (p *Package) Reread(object *pathexpr.Term) bool {
	return slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		return recvName(f.SSA) == object.Type && slices.ContainsFunc(f.Effects, func(e *Effect) bool {
			return e.Kind == Fill && len(e.Via) > 0 && e.Object != nil && e.Object.Kind == pathexpr.Param && e.Object.Index == 0 && e.Object.Type == object.Type
		})
	})
}

// Kept reports whether an object has been loaded by whoever made it, from a file that
// stands where every process of the user finds the same one: each has its own copy for
// as long as it runs.
func (p *Package) Kept(object, file *pathexpr.Term) bool {
	return p.MadeLoaded(object) && p.shared(file)
}

// MadeLoaded reports whether a function of the package makes objects of a type and
// loads them.
func (p *Package) MadeLoaded(object *pathexpr.Term) bool {
	return slices.ContainsFunc(p.Funcs, func(f *Func) bool {
		return slices.ContainsFunc(f.resultsOf(object.Type), func(i int) bool { return i < len(f.fresh) && f.fresh[i] })
	})
}

// resultsOf are the results of a function that are objects of a type.
func (f *Func) resultsOf(typ string) []int {
	var list []int
	for i := range f.SSA.Signature.Results().Len() {
		if memory.NamedType(f.SSA.Signature.Results().At(i).Type()) == typ {
			list = append(list, i)
		}
	}
	return list
}

// shared reports whether a path leads to a place that every process of the user finds
// alike, also by a field that is given such a place when its object is made.
func (p *Package) shared(file *pathexpr.Term) bool {
	return file.Expanded().Any(Everyones) || file.Any(func(t *pathexpr.Term) bool {
		if t.Kind != pathexpr.Field {
			return false
		}
		for field, v := range p.Fields {
			if field.Name() == t.Text && p.ofType(field, t.Type) && p.givenShared(v, maxGivers) {
				return true
			}
		}
		return false
	})
}

// Everyones reports whether a term is such a place: a function that names one, or a
// constant that begins with the sign for the user's home.
func Everyones(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Call && known.IsSharedPlace(t.Text) || t.Kind == pathexpr.Const && strings.HasPrefix(t.Text, "~/")
}

// maxGivers bounds the calls through which a place is handed.
const maxGivers = 4

// ofType reports whether a field is declared by a struct type of the package.
func (p *Package) ofType(field *types.Var, typ string) bool {
	name, ok := strings.CutPrefix(typ, p.Pass.Pkg.Path()+".")
	obj := p.Pass.Pkg.Scope().Lookup(name)
	if !ok || obj == nil {
		return false
	}
	s := memory.StructOf(obj.Type())
	return s != nil && slices.Contains(slices.Collect(s.Fields()), field)
}

// givenShared reports whether a value is such a place, or a parameter for which a
// caller gives one.
func (p *Package) givenShared(v ssa.Value, depth int) bool {
	if t := p.Term(v); t != nil && t.Expanded().Any(Everyones) {
		return true
	}
	par, ok := v.(*ssa.Parameter)
	if !ok || depth == 0 {
		return false
	}
	n := slices.Index(par.Parent().Params, par)
	return slices.ContainsFunc(p.Callers().Sites(par.Parent()), func(site ssa.CallInstruction) bool {
		args := memory.CallArgs(site.Common())
		return n < len(args) && p.givenShared(args[n], depth-1)
	})
}

// Mutexed reports whether an object has a mutex of this process in a field.
func (f *Func) Mutexed(object *pathexpr.Term) bool {
	s := memory.StructOf(f.SSA.Params[object.Index].Type())
	if s == nil {
		return false
	}
	for field := range s.Fields() {
		if n := known.Pointee(field.Type()).String(); n == "sync.Mutex" || n == "sync.RWMutex" {
			return true
		}
	}
	return false
}

// named is the struct type that has a name and that t is or points to, nil for any
// other type.
func named(t types.Type) *types.Named {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// loaded notes the results of a call that come loaded from their files.
func (w *walker) loaded(loads []bool, i ssa.Instruction, c *ssa.CallCommon, when When) {
	call, ok := i.(*ssa.Call)
	if !ok || when != Inline {
		return
	}
	for n, loads := range loads {
		if v := resultOf(call, n); loads && v != nil {
			w.add(&Effect{Kind: Load, Object: w.p.Memory(v)}, i, c, when)
		}
	}
}

// resultOf is the value in which result n of a call comes, nil where nobody looks
// at it.
func resultOf(call *ssa.Call, n int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == n {
			return x
		}
	}
	return nil
}
