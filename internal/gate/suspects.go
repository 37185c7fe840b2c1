package gate

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// Suspects are the types of a package with a lock, and the variables beside a lock, of which the
// text alone says that one is used out of turn: a function takes the lock, and uses a field before
// or behind it, changes it while it has the lock for reading, or looks and changes in two sections;
// or one changes without the lock what several others have it for. Objects that stand for no file
// are looked at for the sake of these alone. It errs on the side of suspicion, and knows
// nothing of callers: who holds the lock where is for package locks to say. Functions are among
// them that have a lock in a variable for the goroutines which they start.
func Suspects(pass *analysis.Pass) map[types.Object]bool {
	s := &screen{
		pass: pass, fields: map[*types.Var]types.Object{}, locks: map[*types.Var]types.Object{},
		said: map[types.Object]bool{}, stats: map[*types.Var]*stats{}, under: map[*types.Func][]types.Object{}, takes: map[types.Object][]*types.Func{}, early: map[*types.Func][]*types.Var{}, writes: map[*types.Func]map[types.Object]bool{}, calls: map[*types.Func][]*types.Func{}, callers: map[*types.Func][]caller{}, passed: map[*types.Var][]*types.Func{},
	}
	s.variables()
	for _, name := range pass.Pkg.Scope().Names() {
		obj, ok := pass.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() {
			continue
		}
		st, ok := obj.Type().Underlying().(*types.Struct)
		if !ok || !hasMutex(st) {
			continue
		}
		for v := range st.Fields() {
			if known.IsMutex(v.Type()) {
				s.locks[v] = obj
			} else {
				s.fields[v] = obj
			}
		}
	}
	if len(s.locks) == 0 {
		return sharers(pass)
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					s.function(d)
				}
			case *ast.GenDecl:
				s.comments(d)
			}
		}
	}
	list := s.suspects()
	maps.Copy(list, sharers(pass))
	return list
}

// variables notes the variables of a package that has a mutex in one: they are like the fields
// of an object, which that mutex stands for.
func (s *screen) variables() {
	var others []*types.Var
	for _, name := range s.pass.Pkg.Scope().Names() {
		v, ok := s.pass.Pkg.Scope().Lookup(name).(*types.Var)
		switch {
		case !ok:
		case !known.IsMutex(v.Type()):
			others = append(others, v)
		default:
			if s.mutex == nil {
				s.mutex = v
			}
			s.locks[v] = s.mutex
		}
	}
	if s.mutex == nil {
		return
	}
	for _, v := range others {
		s.fields[v] = s.mutex
	}
}

func hasMutex(st *types.Struct) bool {
	for v := range st.Fields() {
		if known.IsMutex(v.Type()) {
			return true
		}
	}
	return false
}

// comments notes the types of which a comment says what a lock guards.
func (s *screen) comments(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		st, ok := ts.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range st.Fields.List {
			text := f.Doc.Text() + f.Comment.Text()
			if lexicon.GuardedBy.MatchString(text) || lexicon.Guards.MatchString(text) {
				s.said[s.pass.TypesInfo.Defs[ts.Name]] = true
			}
		}
	}
}

// A screen reads the functions of a package.
type screen struct {
	pass   *analysis.Pass
	fields map[*types.Var]types.Object // of types with a lock, to these
	locks  map[*types.Var]types.Object
	mutex  types.Object          // a package variable that is one; nil for none
	said   map[types.Object]bool // of which a comment says what is guarded
	stats  map[*types.Var]*stats
	// under are the types of which a function is called under the lock of readers, writes
	// those that it changes, and calls what it calls.
	under  map[*types.Func][]types.Object
	takes  map[types.Object][]*types.Func // the functions that take the lock of a type
	early  map[*types.Func][]*types.Var   // the fields that a function uses, and takes no lock
	writes map[*types.Func]map[types.Object]bool
	calls  map[*types.Func][]*types.Func
	passed map[*types.Var][]*types.Func // the functions that get what a field holds
	// callers are who calls a function, and what they have the lock of then.
	callers map[*types.Func][]caller
}

// A caller is a function that calls another, and the types of which it has the lock then.
type caller struct {
	fn   *types.Func
	held []types.Object
}

// What is seen of a field.
type stats struct {
	held []*types.Func // those that use it under the lock
	bare []*types.Func // those that change it without
	out  bool          // it is used out of turn
	set  bool          // somebody changes it
	lock bool          // somebody does so under the lock
	// waited says that a loop which waits for channels looks at it, and takes no lock.
	waited bool
}

// A turn is how a lock stands in the text.
type turn uint8

const (
	untouched turn = iota
	reading
	writing
	free
	unclear
)

// A base is an object as the text names it.
type base struct {
	owner types.Object
	name  types.Object
}

// A lane is what is known along the text of a function.
type lane map[base]turn

// A reader reads one function.
type reader struct {
	*screen
	fn    *types.Func
	early map[base][]touched                 // before the lock is touched
	seen  map[touched]int                    // by the section in which it was met
	nth   map[base]int                       // sections so far
	other map[types.Object]*ast.SelectorExpr // the fields that variables were taken from
}

type touched struct {
	at    base
	field *types.Var
	write bool
}

func (s *screen) function(fd *ast.FuncDecl) {
	fn, ok := s.pass.TypesInfo.Defs[fd.Name].(*types.Func)
	if !ok {
		return
	}
	r := &reader{screen: s, fn: fn, early: map[base][]touched{}, seen: map[touched]int{}, nth: map[base]int{}, other: map[types.Object]*ast.SelectorExpr{}}
	r.block(fd.Body.List, lane{})
	waits := len(r.early) > 0 && waitsInRounds(fd.Body)
	for _, list := range r.early { // no lock behind these
		for _, t := range list {
			s.early[fn] = append(s.early[fn], t.field)
			s.stat(t.field).waited = s.stat(t.field).waited || waits && !t.write
			if st := s.stat(t.field); t.write && !slices.Contains(st.bare, fn) {
				st.bare = append(st.bare, fn)
			}
		}
	}
}

// waitsInRounds reports whether a loop in a body has a select.
func waitsInRounds(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok {
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				_, waits := n.(*ast.SelectStmt)
				found = found || waits
				return !found
			})
		}
		return !found
	})
	return found
}

func (s *screen) stat(v *types.Var) *stats {
	st := s.stats[v]
	if st == nil {
		st = &stats{}
		s.stats[v] = st
	}
	return st
}

// block reads statements, and returns what is known behind them; nil where control does not
// come there.
func (r *reader) block(list []ast.Stmt, l lane) lane {
	for _, st := range list {
		if l = r.stmt(st, l); l == nil {
			return nil
		}
	}
	return l
}

func (r *reader) stmt(st ast.Stmt, l lane) lane {
	switch st := st.(type) {
	case nil:
		return l
	case *ast.BlockStmt:
		return r.block(st.List, l)
	case *ast.LabeledStmt:
		return r.stmt(st.Stmt, l)
	case *ast.IfStmt:
		if l = r.stmt(st.Init, l); l == nil {
			return nil
		}
		r.expr(st.Cond, l, false)
		yes := r.block(st.Body.List, l.clone())
		no := l
		if st.Else != nil {
			no = r.stmt(st.Else, l.clone())
		}
		return join(yes, no)
	case *ast.ForStmt:
		if l = r.stmt(st.Init, l); l == nil {
			return nil
		}
		r.expr(st.Cond, l, false)
		return join(l, r.stmt(st.Post, r.block(st.Body.List, l.clone())))
	case *ast.RangeStmt:
		r.expr(st.X, l, false)
		return join(l, r.block(st.Body.List, l.clone()))
	case *ast.SwitchStmt:
		if l = r.stmt(st.Init, l); l == nil {
			return nil
		}
		r.expr(st.Tag, l, false)
		return r.clauses(st.Body, l)
	case *ast.TypeSwitchStmt:
		if l = r.stmt(st.Init, l); l == nil {
			return nil
		}
		return r.clauses(st.Body, r.stmt(st.Assign, l))
	case *ast.SelectStmt:
		return r.clauses(st.Body, l)
	case *ast.ReturnStmt:
		for _, e := range st.Results {
			r.expr(e, l, false)
		}
		return nil
	case *ast.BranchStmt:
		return nil
	case *ast.ExprStmt:
		r.expr(st.X, l, false)
		if call, ok := st.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return nil
			}
		}
	case *ast.AssignStmt:
		for _, e := range st.Rhs {
			r.expr(e, l, false)
		}
		for i, e := range st.Lhs {
			id, named := e.(*ast.Ident)
			if v, ok := r.pass.TypesInfo.Uses[id].(*types.Var); !named || ok && r.fields[v] != nil {
				r.expr(e, l, true)
			}
			if named && len(st.Lhs) == len(st.Rhs) {
				if sel, ok := st.Rhs[i].(*ast.SelectorExpr); ok && isMap(r.pass.TypesInfo.TypeOf(sel)) {
					r.other[r.pass.TypesInfo.ObjectOf(id)] = sel
				}
			}
		}
	case *ast.IncDecStmt:
		r.expr(st.X, l, true)
	case *ast.DeferStmt:
		if b, _, ok := r.lockOp(st.Call); ok && l[b] != untouched {
			return l // held to the end
		}
		r.expr(st.Call, l.clone(), false)
	case *ast.GoStmt:
		r.expr(st.Call, lane{}, false)
	case *ast.SendStmt:
		r.expr(st.Chan, l, false)
		r.expr(st.Value, l, false)
	case *ast.DeclStmt:
		if gd, ok := st.Decl.(*ast.GenDecl); ok {
			for _, sp := range gd.Specs {
				if vs, ok := sp.(*ast.ValueSpec); ok {
					for _, e := range vs.Values {
						r.expr(e, l, false)
					}
				}
			}
		}
	}
	return l
}

// clauses reads the cases of a statement, of which one is chosen.
func (r *reader) clauses(body *ast.BlockStmt, l lane) lane {
	if l == nil {
		return nil
	}
	all := l.clone()
	for _, c := range body.List {
		at := l.clone()
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				r.expr(e, at, false)
			}
			all = join(all, r.block(c.Body, at))
		case *ast.CommClause:
			all = join(all, r.block(c.Body, r.stmt(c.Comm, at)))
		}
	}
	return all
}

func (l lane) clone() lane {
	c := lane{}
	for b, t := range l {
		c[b] = t
	}
	return c
}

// join is what is known after one of two ways.
func join(a, b lane) lane {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	for k, t := range b {
		if a[k] != t {
			a[k] = unclear
		}
	}
	for k, t := range a {
		if b[k] != t {
			a[k] = unclear
		}
	}
	return a
}

// expr reads an expression; write says that it is assigned to.
func (r *reader) expr(e ast.Expr, l lane, write bool) {
	switch e := e.(type) {
	case nil:
	case *ast.ParenExpr:
		r.expr(e.X, l, write)
	case *ast.Ident:
		if sel := r.other[r.pass.TypesInfo.Uses[e]]; sel != nil {
			r.selector(sel, l, write)
		}
		if v, ok := r.pass.TypesInfo.Uses[e].(*types.Var); ok && !v.IsField() && r.fields[v] != nil {
			r.use(v, base{owner: r.mutex}, l, write)
		}
	case *ast.IndexExpr:
		r.expr(e.X, l, write)
		r.expr(e.Index, l, false)
	case *ast.SliceExpr:
		r.expr(e.X, l, write)
	case *ast.SelectorExpr:
		r.selector(e, l, write)
	case *ast.CallExpr:
		if r.pass.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 {
			r.expr(e.Args[0], l, write) // a conversion
			return
		}
		r.call(e, l)
	case *ast.FuncLit:
		r.block(e.Body.List, l.clone())
	case *ast.StarExpr:
		r.expr(e.X, l, write)
	case *ast.UnaryExpr:
		r.expr(e.X, l, write)
	case *ast.BinaryExpr:
		r.expr(e.X, l, false)
		r.expr(e.Y, l, false)
	case *ast.KeyValueExpr:
		r.expr(e.Value, l, false)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			r.expr(x, l, false)
		}
	case *ast.TypeAssertExpr:
		r.expr(e.X, l, false)
	}
}

func (r *reader) call(c *ast.CallExpr, l lane) {
	if b, t, ok := r.lockOp(c); ok {
		r.turn(b, t, l)
		return
	}
	fn, changes := calleeOf(r.pass.TypesInfo, c), -1
	if known.InPlace(fn) {
		changes = 0
	}
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		if _, builtin := r.pass.TypesInfo.Uses[fun].(*types.Builtin); builtin && (fun.Name == "delete" || fun.Name == "clear" || fun.Name == "copy") {
			changes = 0
		}
	case *ast.SelectorExpr:
		if sel := r.pass.TypesInfo.Selections[fun]; sel != nil && sel.Kind() == types.MethodVal {
			_, pointer := fun.X.(*ast.SelectorExpr)
			r.expr(fun.X, l, pointer && changesReceiver(sel.Obj()))
		}
	case *ast.FuncLit:
		r.expr(fun, l, false)
	}
	for i, a := range c.Args {
		r.expr(a, l, i == changes)
	}
	if fn == nil || fn.Pkg() != r.pass.Pkg {
		return
	}
	fn = fn.Origin()
	r.calls[r.fn] = append(r.calls[r.fn], fn)
	by := caller{fn: r.fn}
	for b, t := range l {
		if t == reading || t == writing {
			by.held = append(by.held, b.owner)
		}
		if t == reading && !slices.Contains(r.under[fn], b.owner) {
			r.under[fn] = append(r.under[fn], b.owner)
		}
	}
	r.callers[fn] = append(r.callers[fn], by)
	for _, a := range c.Args {
		if sel, ok := a.(*ast.SelectorExpr); ok {
			if v, ok := r.pass.TypesInfo.Uses[sel.Sel].(*types.Var); ok && r.fields[v.Origin()] != nil {
				r.passed[v.Origin()] = append(r.passed[v.Origin()], fn)
			}
		}
	}
}

// changesReceiver reports whether a method of another package may change what it is called
// of, by its name.
func changesReceiver(m types.Object) bool {
	switch m.Name() {
	case "Set", "Put", "Add", "Delete", "Remove", "Insert", "Push", "Pop", "Store", "PushBack", "PushFront", "Reset":
		return true
	}
	return false
}

func calleeOf(info *types.Info, c *ast.CallExpr) *types.Func {
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		fn, _ := info.Uses[fun].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[fun.Sel].(*types.Func)
		return fn
	}
	return nil
}

// selector reads a field.
func (r *reader) selector(e *ast.SelectorExpr, l lane, write bool) {
	v, ok := r.pass.TypesInfo.Uses[e.Sel].(*types.Var)
	if !ok || !v.IsField() {
		r.expr(e.X, l, false)
		return
	}
	r.expr(e.X, l, write && !isPointer(r.pass.TypesInfo.TypeOf(e.X)))
	v = v.Origin()
	owner := r.fields[v]
	if owner == nil {
		return
	}
	r.use(v, base{owner, nameOf(r.pass.TypesInfo, e.X)}, l, write)
}

// use notes that a field of an object is looked at, or changed.
func (r *reader) use(v *types.Var, b base, l lane, write bool) {
	t := touched{b, v, write}
	st := r.stat(v)
	switch l[b] {
	case untouched:
		r.early[b] = append(r.early[b], t)
	case free:
		st.out = true
	case unclear:
		st.out = st.out || isContainer(v.Type())
	case reading, writing:
		if !slices.Contains(st.held, r.fn) {
			st.held = append(st.held, r.fn)
		}
		st.out = st.out || write && l[b] == reading
		if first, ok := r.seen[touched{b, v, false}]; write && ok && first < r.nth[b] {
			st.out = true
		}
		if _, ok := r.seen[touched{b, v, false}]; !ok {
			r.seen[touched{b, v, false}] = r.nth[b]
		}
	}
	if write {
		st.set, st.lock = true, st.lock || l[b] == writing
		if r.writes[r.fn] == nil {
			r.writes[r.fn] = map[types.Object]bool{}
		}
		r.writes[r.fn][b.owner] = true
	}
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// isContainer reports whether a type is a map or a slice, which is torn when one reads it
// while another changes it.
func isContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// nameOf is what the text calls an object: a variable, or the last field that leads there.
func nameOf(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.ObjectOf(e)
	case *ast.SelectorExpr:
		return info.ObjectOf(e.Sel)
	case *ast.StarExpr:
		return nameOf(info, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return nameOf(info, e.X)
		}
	}
	return nil
}

// lockOp is what a call does to the lock of an object.
func (r *reader) lockOp(c *ast.CallExpr) (base, turn, bool) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) > 0 {
		return base{}, 0, false
	}
	var to turn
	switch sel.Sel.Name {
	case "Lock", "TryLock":
		to = writing
	case "RLock", "TryRLock":
		to = reading
	case "Unlock", "RUnlock":
		to = free
	default:
		return base{}, 0, false
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		if v, ok := r.pass.TypesInfo.Uses[id].(*types.Var); ok && r.locks[v] != nil {
			return base{owner: r.mutex}, to, true
		}
	}
	if x, ok := sel.X.(*ast.SelectorExpr); ok {
		if v, ok := r.pass.TypesInfo.Uses[x.Sel].(*types.Var); ok && r.locks[v.Origin()] != nil {
			return base{r.locks[v.Origin()], nameOf(r.pass.TypesInfo, x.X)}, to, true
		}
	}
	if t, ok := types.Unalias(known.Pointee(r.pass.TypesInfo.TypeOf(sel.X))).(*types.Named); ok { // embedded
		obj := t.Origin().Obj()
		for _, o := range r.locks {
			if o == obj {
				return base{obj, nameOf(r.pass.TypesInfo, sel.X)}, to, true
			}
		}
	}
	return base{}, 0, false
}

// turn notes what is done to a lock.
func (r *reader) turn(b base, t turn, l lane) {
	if t == reading || t == writing {
		r.nth[b]++
		r.takes[b.owner] = append(r.takes[b.owner], r.fn)
		for _, x := range r.early[b] {
			r.stat(x.field).out = true
		}
		delete(r.early, b)
	}
	l[b] = t
}

// suspects are the types of which a field is used out of turn that others use under the lock.
func (s *screen) suspects() map[types.Object]bool {
	list := map[types.Object]bool{}
	for fn, early := range s.early {
		for _, v := range early {
			st := s.stat(v)
			st.out = st.out || isContainer(v.Type()) && st.lock && s.entered(fn, s.fields[v], map[*types.Func]bool{}) ||
				slices.ContainsFunc(s.calls[fn], func(g *types.Func) bool { return slices.Contains(s.takes[s.fields[v]], g) })
		}
	}
	for v, st := range s.stats {
		if !st.set {
			continue
		}
		if len(st.held) > 1 && st.out || len(st.held) > 0 && st.out && s.single(v) || st.lock && (st.waited || s.takesPassed(v)) || len(st.held) > 0 && len(st.bare) > 0 && s.said[s.fields[v]] {
			list[s.fields[v]] = true
		}
	}
	for fn, owners := range s.under {
		for _, o := range owners {
			if !list[o] && s.changes(fn, o, map[*types.Func]bool{}) {
				list[o] = true
			}
		}
	}
	if s.mutex != nil && list[s.mutex] {
		for v, owner := range s.fields {
			if owner == s.mutex {
				list[v] = true
			}
		}
	}
	return list
}

// takesPassed reports whether a function that gets what a field holds takes the lock beside it.
func (s *screen) takesPassed(v *types.Var) bool {
	return slices.ContainsFunc(s.passed[v], func(fn *types.Func) bool { return slices.Contains(s.takes[s.fields[v]], fn) })
}

// single reports whether one function alone takes the lock that stands beside a field.
func (s *screen) single(v *types.Var) bool {
	by := s.takes[s.fields[v]]
	return !slices.ContainsFunc(by, func(fn *types.Func) bool { return fn != by[0] })
}

// entered reports whether one can come to a function without the lock of a type.
func (s *screen) entered(fn *types.Func, owner types.Object, seen map[*types.Func]bool) bool {
	switch {
	case seen[fn] || lexicon.HasLock(fn.Name()) || lexicon.Early.Begins(fn.Name()):
		return false
	case fn.Exported() || len(s.callers[fn]) == 0:
		return true
	}
	seen[fn] = true
	return slices.ContainsFunc(s.callers[fn], func(c caller) bool { return !slices.Contains(c.held, owner) && s.entered(c.fn, owner, seen) })
}

// changes reports whether a function, or one that it calls, changes a field of a type.
func (s *screen) changes(fn *types.Func, owner types.Object, seen map[*types.Func]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	return s.writes[fn][owner] || slices.ContainsFunc(s.calls[fn], func(g *types.Func) bool { return s.changes(g, owner, seen) })
}
