// Package slice chooses what of a package is analysed: the functions that can have to do
// with files, and what these need. SSA is built of nothing else.
package slice

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// PackageLevel reports whether obj is a function or variable of a package.
func PackageLevel(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Signature().Recv() == nil
	case *types.Var:
		return obj.Parent() == obj.Pkg().Scope()
	}
	return false
}

// A Slice is the part of a package that can have to do with files: the
// functions that act on one, all that leads to them, all that those call, and
// the variables that any of them names. SSA is built of nothing else; in a large
// package that is a small part.
type Slice struct {
	Pass *analysis.Pass
	acts func(*types.Func) bool // see New

	units   []*unit                // in source order
	seen    map[types.Object]*unit // the last unit that names it
	table   map[*ast.Ident]bool    // functions in composite literals
	listed  map[types.Object]bool  // what they are
	of      map[types.Object]*unit
	methods map[string][]*unit // by name, for calls through an interface
	stores  map[*types.Var]*stores
	roles   map[*types.Func]role        // functions of other packages, once asked
	guarded map[*types.Var]types.Object // the fields of structs that hold a lock, variables beside one: what they stand for
	alone   map[ast.Node]bool           // see Alone
}

// A unit is a function declaration or the initialisation of package variables.
type unit struct {
	fn       *ast.FuncDecl  // nil for variables
	test     bool           // it stands in a test file
	names    []types.Object // what it names of its own package
	tabled   []types.Object // the functions that it only puts into composite literals
	foreign  []types.Object // and of others: functions, methods and package variables
	callers  []*unit
	acts     bool // it names a function that acts on files
	decodes  bool // it names one that decodes what was read
	encodes  bool // it names an encoder
	probes   bool // it names one that asks whether a file exists
	lists    bool // it names one that lists a directory
	flushes  bool // it names one that flushes a buffered writer
	mounts   bool // it mounts something, or says what is to be
	above    bool // it acts, or names one that is above
	included bool
	alone    bool // it is kept, and what it names is not for its sake
	entered  bool // its callers are kept as well
}

// stores counts the assignments to a package variable or field.
type stores struct {
	n  int
	by *unit // the last of them
}

// A Config says what of a package is kept.
type Config struct {
	Tests bool // what stands in its tests, too
	Files bool // what can have to do with files
	// Acts tells what of other packages acts on files, where the tables do not say so.
	Acts func(*types.Func) bool
}

// New scans the package and chooses what is kept.
func New(pass *analysis.Pass, c Config) *Slice {
	s := &Slice{
		Pass: pass, acts: c.Acts, seen: map[types.Object]*unit{}, table: map[*ast.Ident]bool{}, listed: map[types.Object]bool{},
		of: map[types.Object]*unit{}, methods: map[string][]*unit{},
		stores: map[*types.Var]*stores{}, roles: map[*types.Func]role{}, guarded: guarded(pass.Pkg), alone: map[ast.Node]bool{},
	}
	for _, f := range pass.Files {
		test := memory.InTestFile(pass.Fset, f.FileStart)
		if test && !c.Tests {
			continue
		}
		for _, d := range f.Decls {
			s.declare(d, test)
		}
	}
	s.choose(c.Files)
	return s
}

// declare adds the units of a declaration and scans them.
func (s *Slice) declare(d ast.Decl, test bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			return
		}
		u := &unit{fn: d, test: test}
		if fn, ok := s.Pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
			s.of[fn] = u
			if fn.Signature().Recv() != nil {
				s.methods[fn.Name()] = append(s.methods[fn.Name()], u)
			}
		}
		s.add(u, d.Body)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) > 0 {
				s.variables(v, test)
			}
		}
	}
}

// variables adds a unit for each initialisation of a specification.
func (s *Slice) variables(spec *ast.ValueSpec, test bool) {
	if len(spec.Values) < len(spec.Names) {
		s.add(s.variable(test, spec.Names...), spec.Values[0])
		return
	}
	for i, name := range spec.Names {
		s.add(s.variable(test, name), spec.Values[i])
	}
}

func (s *Slice) variable(test bool, names ...*ast.Ident) *unit {
	u := &unit{test: test}
	for _, n := range names {
		if v, ok := s.Pass.TypesInfo.Defs[n].(*types.Var); ok {
			s.of[v] = u
			s.store(v, u)
		}
	}
	return u
}

// store counts an assignment. What tests assign is not what the program has.
func (s *Slice) store(v *types.Var, by *unit) {
	if by.test {
		return
	}
	v = v.Origin()
	st := s.stores[v]
	if st == nil {
		st = &stores{}
		s.stores[v] = st
	}
	st.n++
	st.by = by
}

// add scans what a unit names and what it assigns to.
func (s *Slice) add(u *unit, body ast.Node) {
	s.units = append(s.units, u)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			obj := s.Pass.TypesInfo.Uses[n]
			if obj == nil || obj.Pkg() == nil || !isShared(obj) || s.seen[obj] == u {
				return true
			}
			if s.table[n] {
				u.tabled = append(u.tabled, obj)
				s.listed[obj] = true
				return true
			}
			s.seen[obj] = u
			s.name(u, obj)
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				switch {
				case len(n.Rhs) != len(n.Lhs):
					s.assign(u, l, nil)
				case !s.isNil(n.Rhs[i]):
					s.assign(u, l, n.Rhs[i])
				}
			}
		case *ast.CompositeLit:
			s.fill(u, n)
		}
		return true
	})
}

// isNil reports whether e is the nil of the language.
func (s *Slice) isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil" && s.Pass.TypesInfo.Types[id].IsNil()
}

// isShared reports whether obj is a function, a field or a package variable.
func isShared(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return obj.IsField() || PackageLevel(obj)
	}
	return false
}

// name notes that the unit names obj.
func (s *Slice) name(u *unit, obj types.Object) {
	if obj.Pkg() != s.Pass.Pkg && (PackageLevel(obj) || isMethod(obj)) {
		u.foreign = append(u.foreign, obj)
	}
	switch obj := obj.(type) {
	case *types.Func:
		obj = obj.Origin()
		if obj.Pkg() == s.Pass.Pkg {
			u.names = append(u.names, obj)
			return
		}
		r := s.role(obj)
		u.acts = u.acts || r.acts
		u.probes, u.lists = u.probes || r.op == known.Stat, u.lists || r.op == known.List
		u.flushes, u.mounts = u.flushes || r.op == known.Flush, u.mounts || r.op == known.Mount
		u.encodes = u.encodes || Encodes(r.op)
		u.decodes = u.decodes || r.op == known.Decode || r.op == known.DecodeFrom || r.op == known.ReadAll
	case *types.Var:
		if obj.Pkg() == s.Pass.Pkg {
			u.names = append(u.names, obj.Origin())
		}
	}
}

// A role is what is known of a function of another package.
type role struct {
	op   known.Op
	acts bool // it opens, moves or locks a file, by the tables or, if its caller names the file, by its fact
}

func (s *Slice) role(fn *types.Func) role {
	r, ok := s.roles[fn]
	if !ok {
		row, _ := known.Lookup(fn)
		r = role{row.Op, known.ActsOnFiles(fn) || s.acts(fn)}
		s.roles[fn] = r
	}
	return r
}

// assign notes an assignment of something else than nil to a package variable
// or a field.
func (s *Slice) assign(u *unit, lhs, rhs ast.Expr) {
	var id *ast.Ident
	switch l := ast.Unparen(lhs).(type) {
	case *ast.Ident:
		id = l
	case *ast.SelectorExpr:
		id = l.Sel
	default:
		return
	}
	if v, ok := s.Pass.TypesInfo.Uses[id].(*types.Var); ok && (v.IsField() || v.Pkg() == s.Pass.Pkg && PackageLevel(v)) && !s.copies(v, rhs) {
		s.store(v, u)
	}
}

// copies reports whether an expression is what another object has in the field v: to put that
// into the field of one more is to give it no other value.
func (s *Slice) copies(v *types.Var, e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && v.IsField() && s.Pass.TypesInfo.Uses[sel.Sel] == types.Object(v)
}

// fill notes the fields that a struct literal gives values to. Functions that
// stand in a literal are called by nobody that can be told.
func (s *Slice) fill(u *unit, lit *ast.CompositeLit) {
	st := memory.StructOf(s.Pass.TypesInfo.TypeOf(lit))
	u.mounts = u.mounts || known.Mounts(s.Pass.TypesInfo.TypeOf(lit)) != nil
	for i, elt := range lit.Elts {
		kv, keyed := elt.(*ast.KeyValueExpr)
		if keyed {
			if key, ok := kv.Key.(*ast.Ident); ok && st != nil {
				if v, ok := s.Pass.TypesInfo.Uses[key].(*types.Var); ok && !s.copies(v, kv.Value) {
					s.store(v, u)
				}
			}
			elt = kv.Value
		} else if st != nil && !s.copies(st.Field(i), elt) {
			s.store(st.Field(i), u)
		}
		switch e := elt.(type) {
		case *ast.Ident:
			s.tabled(e)
		case *ast.SelectorExpr:
			s.tabled(e.Sel)
		}
	}
}

func (s *Slice) tabled(id *ast.Ident) {
	if fn, ok := s.Pass.TypesInfo.Uses[id].(*types.Func); ok && fn.Pkg() == s.Pass.Pkg {
		s.table[id] = true
	}
}

// choose marks what is kept: from the units that act on files up to all that
// name them, from there and from the telling ones down to all that they name.
func (s *Slice) choose(files bool) {
	for _, u := range s.units {
		for _, n := range s.named(u) {
			n.callers = append(n.callers, u)
		}
		for _, n := range s.givers(u) {
			n.callers = append(n.callers, u)
		}
	}
	for _, u := range s.units {
		if files && u.acts {
			u.rise()
		}
	}
	for _, u := range s.units {
		if files && (u.above || s.telling(u)) {
			s.keep(u)
		}
		for _, c := range u.callers {
			if files && u.mounts {
				s.keep(c) // who asks for a mount says of which file
			}
		}
	}
	s.chooseGuarded()
	s.chooseLocked()
}

// HasLock reports whether a package has a struct type with a lock, or a variable that is one.
func HasLock(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Scope().Names(), func(name string) bool {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			return known.IsLock(obj.Type())
		case *types.TypeName:
			return !obj.IsAlias() && len(known.LockFields(obj.Type())) > 0
		}
		return false
	})
}

// chooseLocked keeps the functions that name a mutex. Where several name that of a type, it keeps
// all that touch an object of the type, and, for who is called with the lock, the callers. What
// these call besides need not be seen.
func (s *Slice) chooseLocked() {
	named := map[types.Object]int{} // by how many functions; the variables of the package are nil
	for _, u := range s.units {
		owners := s.mutexesOf(u)
		u.alone = len(owners) > 0
		for _, owner := range owners {
			named[owner]++
		}
	}
	var keep func(u *unit)
	keep = func(u *unit) {
		if u.entered || u.fn == nil || u.test {
			return
		}
		u.alone, u.entered = true, true
		if !u.fn.Name.IsExported() {
			for _, c := range u.callers {
				keep(c)
			}
		}
	}
	shared := func(o types.Object) bool {
		if _, ok := o.(*types.Var); ok {
			o = nil
		}
		return named[o] > 1
	}
	for _, u := range s.units {
		if slices.ContainsFunc(s.touched(u), shared) {
			keep(u)
		}
	}
}

// mutexesOf are the types whose mutex a function names, by its field or, where it is embedded, by its
// methods; nil for a mutex that is a variable of the package.
func (s *Slice) mutexesOf(u *unit) []types.Object {
	var list []types.Object
	add := func(o types.Object) {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if u.fn == nil || u.test {
		return nil
	}
	for _, obj := range u.names {
		v, ok := obj.(*types.Var)
		switch {
		case !ok || !known.IsMutex(v.Type()):
		case s.guarded[v] != nil:
			add(s.guarded[v])
		case PackageLevel(v):
			add(nil)
		}
	}
	if slices.ContainsFunc(u.foreign, func(o types.Object) bool {
		return known.Path(o) == "sync" && (o.Name() == "Lock" || o.Name() == "RLock")
	}) {
		for _, owner := range append(s.touched(u), s.receiver(u)) {
			embeds := func(v *types.Var) bool { return v.Embedded() && known.IsMutex(v.Type()) }
			if _, isType := owner.(*types.TypeName); isType && slices.ContainsFunc(known.LockFields(owner.Type()), embeds) {
				add(owner)
			}
		}
	}
	return list
}

// chooseGuarded keeps what touches an object that has a lock and that some unit
// above touches too, or is a method of: the object stands for a file. So may a
// package variable, beside a lock that is one. Who holds the lock in an
// unexported function is for its callers to say.
func (s *Slice) chooseGuarded() {
	backed := map[types.Object]bool{}
	for _, u := range s.units {
		if u.above {
			for _, owner := range s.touched(u) {
				backed[owner] = true
			}
			if owner := s.receiver(u); owner != nil {
				backed[owner] = true
			}
		}
	}
	var keep func(u *unit)
	keep = func(u *unit) {
		kept := u.included
		s.keep(u)
		if kept && u.entered || u.fn == nil {
			return
		}
		u.entered = true
		if !u.fn.Name.IsExported() {
			for _, c := range u.callers {
				keep(c)
			}
		}
	}
	for _, u := range s.units {
		if slices.ContainsFunc(s.touched(u), func(o types.Object) bool { return backed[o] }) {
			keep(u)
		}
	}
}

// touched lists the types with a lock whose fields the unit names, and the
// variables beside a lock.
func (s *Slice) touched(u *unit) []types.Object {
	var list []types.Object
	for _, obj := range u.names {
		if v, ok := obj.(*types.Var); ok && s.guarded[v] != nil {
			list = append(list, s.guarded[v])
		}
	}
	return list
}

// receiver is the type that a unit is a method of, nil for any other unit.
func (s *Slice) receiver(u *unit) types.Object {
	if u.fn == nil {
		return nil
	}
	fn, ok := s.Pass.TypesInfo.Defs[u.fn.Name].(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return nil
	}
	named, ok := types.Unalias(known.Pointee(fn.Signature().Recv().Type())).(*types.Named)
	if !ok {
		return nil
	}
	return named.Origin().Obj()
}

// guarded are the fields of the package's structs that hold a lock, with their
// type, and, if the package has a variable that is a lock, its other variables.
func guarded(pkg *types.Package) map[*types.Var]types.Object {
	list := map[*types.Var]types.Object{}
	var vars []*types.Var
	locks := 0
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			if known.IsLock(obj.Type()) {
				locks++
			} else {
				vars = append(vars, obj)
			}
		case *types.TypeName:
			if obj.IsAlias() || len(known.LockFields(obj.Type())) == 0 {
				continue
			}
			if st, ok := obj.Type().Underlying().(*types.Struct); ok {
				for v := range st.Fields() {
					list[v] = obj
				}
			}
		}
	}
	if locks > 0 {
		for _, v := range vars {
			list[v] = v
		}
	}
	return list
}

// givers are the units that give a field which the unit names its only function: who calls
// it calls that.
func (s *Slice) givers(u *unit) []*unit {
	var list []*unit
	for _, obj := range u.names {
		if v, ok := obj.(*types.Var); ok && v.IsField() && memory.IsFunc(v.Type()) && s.Once(v) {
			list = append(list, s.stores[v.Origin()].by)
		}
	}
	return list
}

// ActsBelow reports whether a function of the package acts on files, or calls one that
// does.
func (s *Slice) ActsBelow(fn *types.Func) bool {
	u := s.of[fn.Origin()]
	return u != nil && u.above
}

// Unused reports whether no other package can name a function, and nothing of its own but tests does.
func (s *Slice) Unused(fn *types.Func) bool {
	u := s.of[fn]
	return u != nil && u.fn.Recv == nil && !fn.Exported() && fn.Name() != "main" && fn.Name() != "init" && !s.listed[fn] &&
		!slices.ContainsFunc(u.callers, func(c *unit) bool { return c != u && !c.test })
}

func (u *unit) rise() {
	if u.above {
		return
	}
	u.above = true
	for _, c := range u.callers {
		c.rise()
	}
}

func (s *Slice) keep(u *unit) {
	if u.included {
		return
	}
	u.included = true
	for _, n := range s.named(u) {
		s.keep(n)
	}
	for _, obj := range u.names {
		// What gives a field or variable its only value says what it holds.
		v, ok := obj.(*types.Var)
		if !ok || !s.Once(v) || v.IsField() && !memory.IsString(v.Type()) && !memory.IsFunc(v.Type()) && !known.CanLock(v.Type()) {
			continue
		}
		by := s.stores[v.Origin()].by
		s.keep(by)
		if v.IsField() && memory.IsString(v.Type()) {
			for _, c := range by.callers {
				s.keep(c) // who makes the object says where its file is
			}
		}
	}
}

// KeepAll keeps all of the package, and not a slice.
func (s *Slice) KeepAll() {
	for _, u := range s.units {
		u.included, u.above = true, true
	}
}

// Once reports whether v is assigned to in exactly one place.
func (s *Slice) Once(v *types.Var) bool {
	st := s.stores[v.Origin()]
	return st != nil && st.n == 1
}

// named lists the units behind the names of a unit: of a method of an interface,
// all methods of that name.
func (s *Slice) named(u *unit) []*unit {
	var list []*unit
	for _, obj := range u.names {
		if n := s.of[obj]; n != nil {
			list = append(list, n)
		} else if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			list = append(list, s.methods[fn.Name()]...)
		}
	}
	return list
}

// telling reports whether a function says something of files though it acts on
// none: it decodes what another reads, encodes what another writes, answers whether a file is there, lists a
// directory, flushes what others wrote, mounts a file, hands a path or content to other packages, or is declared to do with
// state.
func (s *Slice) telling(u *unit) bool {
	if u.fn == nil {
		return false
	}
	if u.lists || u.flushes || u.mounts || directive.HasState(u.fn.Doc) {
		return true
	}
	if _, loads := lexicon.ObjectOf(u.fn.Name.Name, lexicon.LoadVerbs); loads && u.decodes {
		return true
	}
	fn, ok := s.Pass.TypesInfo.Defs[u.fn.Name].(*types.Func)
	if !ok {
		return false
	}
	encodes := func(n *unit) bool { return n.encodes }
	return u.probes && Answers(fn.Signature()) || EncodesForOthers(fn) && (u.encodes || slices.ContainsFunc(s.named(u), encodes)) ||
		fn.Exported() && fn.Name() != "String" && YieldsText(fn.Signature())
}

// Encodes reports whether an operation is that of an encoder.
func Encodes(op known.Op) bool { return op == known.Encode || op == known.EncodeTo }

// EncodesForOthers reports whether what a function encodes can reach a file of another
// package: it is exported, and is given a writer, or returns bytes. Methods that return
// bytes are those of the types that an encoder asks.
func EncodesForOthers(fn *types.Func) bool {
	if !fn.Exported() {
		return false
	}
	sig := fn.Signature()
	for par := range sig.Params().Variables() {
		if iface, ok := par.Type().Underlying().(*types.Interface); ok && writes(iface) {
			return true
		}
	}
	return sig.Recv() == nil && sig.Results().Len() > 0 && memory.IsBytes(sig.Results().At(0).Type())
}

// writes reports whether an interface is that of a writer.
func writes(iface *types.Interface) bool {
	for m := range iface.Methods() {
		if m.Name() == "Write" && m.Signature().Params().Len() == 1 && memory.IsBytes(m.Signature().Params().At(0).Type()) {
			return true
		}
	}
	return false
}

// Answers reports whether a function returns more than an error.
func Answers(sig *types.Signature) bool {
	res := sig.Results()
	return res.Len() > 0 && !types.Identical(res.At(0).Type(), types.Universe.Lookup("error").Type())
}

// YieldsText reports whether the first result of a function is text or bytes.
func YieldsText(sig *types.Signature) bool {
	if sig.Results().Len() == 0 {
		return false
	}
	t := sig.Results().At(0).Type()
	return memory.IsBytes(t) || memory.IsString(t)
}

// Empty reports whether nothing is kept.
func (s *Slice) Empty() bool {
	return !slices.ContainsFunc(s.units, func(u *unit) bool { return u.included || u.alone })
}

// Alone reports whether a function is kept for the sake of an object with a lock, and
// has nothing to do with files.
func (s *Slice) Alone(decl ast.Node) bool { return s.alone[decl] }

// Files are the files of the package without the functions that are not kept;
// one that a kept unit puts into a composite literal stays without its body.
func (s *Slice) Files() []*ast.File {
	kept, stub := map[*ast.FuncDecl]bool{}, map[*ast.FuncDecl]bool{}
	for _, u := range s.units {
		if !u.included && !u.alone {
			continue
		}
		kept[u.fn] = true
		if !u.included {
			s.alone[u.fn] = true
			for _, n := range s.named(u) {
				stub[n.fn] = true
			}
		}
		for _, obj := range u.tabled {
			if t := s.of[obj]; t != nil {
				stub[t.fn] = true
			}
		}
	}
	files := make([]*ast.File, len(s.Pass.Files))
	for i, f := range s.Pass.Files {
		cp := *f
		cp.Decls = nil
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || kept[fd] || fd.Body == nil:
				cp.Decls = append(cp.Decls, d)
			case stub[fd]:
				cp.Decls = append(cp.Decls, &ast.FuncDecl{Doc: fd.Doc, Recv: fd.Recv, Name: fd.Name, Type: fd.Type})
			}
		}
		files[i] = &cp
	}
	return files
}

// info is the type information for the files: of the initialisations only those
// that are kept, and no tables whose elements nobody follows.
func (s *Slice) info(files []*ast.File) *types.Info {
	info := *s.Pass.TypesInfo
	info.FileVersions = map[*ast.File]string{}
	for i, f := range s.Pass.Files {
		info.FileVersions[files[i]] = s.Pass.TypesInfo.FileVersions[f]
	}
	info.InitOrder = nil
	for _, i := range s.Pass.TypesInfo.InitOrder {
		if u := s.of[i.Lhs[0]]; u != nil && u.included && (u.above || !isTable(i.Rhs)) {
			info.InitOrder = append(info.InitOrder, i)
		}
	}
	return &info
}

// isTable reports whether a value is a list or a map, and not a short list of texts, as of
// the names of files.
func isTable(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch typ := lit.Type.(type) {
	case *ast.ArrayType:
		elem, ok := typ.Elt.(*ast.Ident)
		return !ok || elem.Name != "string" || len(lit.Elts) > memory.MaxElements
	case *ast.MapType:
		return true
	}
	return false
}

// An imported package is one whose functions or variables the kept units name, with what
// they name of it, methods included.
type imported struct {
	pkg   *types.Package
	named []types.Object
}

// imports are the packages of which the kept units name more than methods.
func (s *Slice) imports() []*imported {
	var list []*imported
	of, seen := map[*types.Package]*imported{}, map[types.Object]bool{}
	for _, methods := range []bool{false, true} {
		for _, u := range s.units {
			if !u.included && !u.alone {
				continue
			}
			for _, obj := range u.foreign {
				if fn, ok := obj.(*types.Func); ok {
					obj = fn.Origin()
				}
				if isMethod(obj) != methods || seen[obj] {
					continue
				}
				seen[obj] = true
				at := of[obj.Pkg()]
				if at == nil && !methods {
					at = &imported{pkg: obj.Pkg()}
					of[obj.Pkg()], list = at, append(list, at)
				}
				if at != nil {
					at.named = append(at.named, obj)
				}
			}
		}
	}
	return list
}

// isMethod reports whether an object is a method, and not one of an interface.
func isMethod(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Recv() != nil && !types.IsInterface(fn.Signature().Recv().Type())
}
