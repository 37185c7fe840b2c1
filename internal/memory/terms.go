package memory

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Encoder names the encoder that made the bytes.
func Encoder(data *pathexpr.Term) string {
	name := ""
	data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Encoded {
			name = t.Text
		}
		return name != ""
	})
	return name
}

// maxDepth bounds the height of terms; what is deeper is unknown. An open file is as deep as
// its path: a save by a commit has two terms around it, and one in place has one, which must
// not tell them apart.
const maxDepth = 10

// maxOpened bounds what stands around the path of an open file: writers, the handle, and the
// fresh name of a pending file.
const maxOpened = 4

// Term is the canonical value of v. One that depends on itself (a loop) is unknown to
// what it depends on.
func (p *Values) Term(v ssa.Value) *pathexpr.Term { return p.terms.Ask(v) }

func (p *Values) makeTerm(v ssa.Value) *pathexpr.Term {
	t := p.termOf(v)
	if t == nil || opened(t).Depth() > maxDepth || t.Depth() > maxDepth+maxOpened {
		return p.Unknown(v)
	}
	return p.intern(t)
}

// opened is the path of an open file, that of the file which a pending one replaces, and any
// other term itself.
func opened(t *pathexpr.Term) *pathexpr.Term {
	h := t.File()
	if h.Kind != pathexpr.Handle || len(h.Args) != 1 {
		return t
	}
	if path := h.Args[0]; path.Kind == pathexpr.Fresh && len(path.Args) == 1 {
		return path.Args[0]
	}
	return h.Args[0]
}

// Unknown is the term of a value of which no more is known than which it is.
func (p *Values) Unknown(v ssa.Value) *pathexpr.Term {
	t, ok := p.unknowns[v]
	if !ok {
		t = unknownTerm(v)
		p.unknowns[v] = t
	}
	return t
}

func unknownTerm(v ssa.Value) *pathexpr.Term {
	fn := ""
	if v.Parent() != nil {
		fn = v.Parent().String()
	}
	name := v.Name()
	switch v := v.(type) {
	case *ssa.Alloc:
		if v.Comment != "" {
			return pathexpr.New(pathexpr.Unknown, "var "+v.Comment+"@"+fn+"."+name)
		}
	case *ssa.Phi:
		if v.Comment != "" {
			return pathexpr.New(pathexpr.Unknown, "var "+v.Comment+"@"+fn+"."+name)
		}
	}
	return pathexpr.New(pathexpr.Unknown, fn+"."+name)
}

func (p *Values) termOf(v ssa.Value) *pathexpr.Term {
	switch v := v.(type) {
	case *ssa.Const:
		return constTerm(v)
	case *ssa.Parameter:
		return p.paramTerm(v)
	case *ssa.FreeVar:
		return p.freeTerm(v)
	case *ssa.Global:
		return p.globalTerm(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.loadTerm(v.X)
		}
	case *ssa.FieldAddr:
		return p.fieldTerm(v.X, v.Field)
	case *ssa.Field:
		return p.fieldTerm(v.X, v.Field)
	case *ssa.IndexAddr:
		return p.elemTerm(v.X, v.Index)
	case *ssa.Index:
		return p.elemTerm(v.X, v.Index)
	case *ssa.Lookup:
		return pathexpr.New(pathexpr.Elem, "", p.Term(v.X), p.Term(v.Index))
	case *ssa.Slice:
		return p.sliceTerm(v)
	case *ssa.Extract:
		return p.extractTerm(v)
	case *ssa.Call:
		if list := p.listTerm(v); list != nil {
			return list
		}
		return p.CallTerm(&v.Call, v, 0)
	case *ssa.BinOp:
		if v.Op == token.ADD && IsString(v.Type()) {
			return pathexpr.New(pathexpr.Concat, "", p.Term(v.X), p.Term(v.Y))
		}
	case *ssa.Phi:
		return p.phiTerm(v)
	case *ssa.Alloc, *ssa.MakeSlice:
		if p.randomised(v) {
			return pathexpr.New(pathexpr.Random, p.Unknown(v).Text)
		}
	default:
		if in := Converted(v); in != nil {
			return p.Term(in)
		}
	}
	return nil
}

// sliceTerm is a part of a text, of bytes or of a list, or all of it.
func (p *Values) sliceTerm(v *ssa.Slice) *pathexpr.Term {
	if IsString(v.Type()) {
		return p.Term(v.X).Loosened()
	}
	if noBytes(v) {
		return pathexpr.New(pathexpr.Const, "")
	}
	if list := p.listTerm(v); list != nil {
		return list
	}
	whole := p.Term(v.X)
	if low, ok := v.Low.(*ssa.Const); ok && low.Int64() > 0 && isTexts(v.Type()) {
		return pathexpr.Behind(whole, int(low.Int64()))
	}
	if whole.Kind == pathexpr.List {
		return nil // a part of it, or one that is changed later
	}
	return whole
}

// noBytes reports whether a value is []byte{}.
func noBytes(v *ssa.Slice) bool {
	alloc, ok := v.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	arr, ok := alloc.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return ok && arr.Len() == 0 && types.Identical(arr.Elem().Underlying(), types.Typ[types.Byte])
}

// randomised reports whether a call fills the memory that a function makes with random bytes.
func (p *Values) randomised(v ssa.Value) bool {
	return slices.ContainsFunc(flow.Uses(v), func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.Slice:
			return p.randomised(i)
		case *ssa.Call:
			row, _ := known.Lookup(p.CalleeOf(&i.Call))
			args := CallArgs(&i.Call)
			if row.Op == known.Read && row.A < len(args)-1 {
				source := p.Term(args[row.A])
				return Source{Term: source}.Random() && args[len(args)-1] == v
			}
			return row.Op == known.Random && args[row.A] == v
		}
		return false
	})
}

// IsString reports whether values of the type are text.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func constTerm(v *ssa.Const) *pathexpr.Term {
	if v.Value == nil {
		return pathexpr.New(pathexpr.Const, "")
	}
	if v.Value.Kind() == constant.String {
		return pathexpr.New(pathexpr.Const, constant.StringVal(v.Value))
	}
	return pathexpr.New(pathexpr.Const, v.Value.ExactString())
}

// isTexts reports whether a type is a list of texts, as a variadic function of path
// elements is given.
func isTexts(t types.Type) bool {
	list, ok := t.Underlying().(*types.Slice)
	return ok && IsString(list.Elem())
}

// elemTerm is an element of a list. Those at two constant places are two.
func (p *Values) elemTerm(list, index ssa.Value) *pathexpr.Term {
	switch at := index.(type) {
	case *ssa.Const:
		return pathexpr.New(pathexpr.Elem, "", p.Term(list), constTerm(at))
	case *ssa.Parameter: // callers say which
		return pathexpr.New(pathexpr.Elem, "", p.Term(list), p.Term(at))
	}
	return pathexpr.New(pathexpr.Elem, "", p.Term(list))
}

func (p *Values) paramTerm(v *ssa.Parameter) *pathexpr.Term {
	if isArguments(v) {
		return pathexpr.New(pathexpr.Input, v.Name())
	}
	for i, par := range v.Parent().Params {
		if par == v {
			return pathexpr.NewParam(i, v.Name(), NamedType(v.Type()))
		}
	}
	return nil
}

// isArguments reports whether a parameter is the list of arguments that a command
// is run with: that of a function which is given the command, too.
func isArguments(v *ssa.Parameter) bool {
	return isTexts(v.Type()) && slices.ContainsFunc(v.Parent().Params, func(par *ssa.Parameter) bool {
		return NamedType(par.Type()) == "github.com/spf13/cobra.Command"
	})
}

// freeTerm is the value that a literal captured, in terms of the function
// around it.
func (p *Values) freeTerm(v *ssa.FreeVar) *pathexpr.Term {
	b := Binding(v)
	if b == nil {
		return nil
	}
	return lift(p.Term(b))
}

// lift restates a term of the enclosing function inside a literal.
func lift(t *pathexpr.Term) *pathexpr.Term {
	return t.Map(func(x *pathexpr.Term) *pathexpr.Term {
		return pathexpr.NewParam(x.Index+Outer, x.Text, x.Type)
	}, pathexpr.Param)
}

func (p *Values) globalTerm(v *ssa.Global) *pathexpr.Term {
	name := v.Name()
	if v.Object() != nil && v.Object().Pkg() != nil {
		name = v.Object().Pkg().Path() + "." + name
	}
	if name == "os.Args" {
		return pathexpr.New(pathexpr.Input, "argument")
	}
	if val := p.Globals[v]; val != nil {
		return pathexpr.New(pathexpr.Global, name, p.Term(val))
	}
	return pathexpr.New(pathexpr.Global, name)
}

// loadTerm is the value held at an address.
func (p *Values) loadTerm(addr ssa.Value) *pathexpr.Term {
	switch a := addr.(type) {
	case *ssa.Alloc:
		if changesField(a) {
			return nil // no longer what was stored, and not the same each time
		}
		return p.storedTerm(a)
	case *ssa.FreeVar:
		b := Binding(a)
		if b == nil {
			return nil
		}
		return lift(p.loadTerm(b))
	}
	return p.Term(addr)
}

// storedTerm is what is stored into a local variable, from its function and
// from the literals that capture it.
func (p *Values) storedTerm(a *ssa.Alloc) *pathexpr.Term {
	var vals []*pathexpr.Term
	for _, s := range flow.StoresTo(a) {
		t := p.Term(s.Val)
		for fn := s.Parent(); fn != a.Parent() && fn != nil; fn = fn.Parent() {
			t = p.Lower(t, nil)
		}
		if t.Kind == pathexpr.Const && t.Text == "" {
			continue
		}
		vals = append(vals, t)
	}
	switch len(vals) {
	case 0:
		return p.Unknown(a)
	case 1:
		return vals[0]
	}
	return pathexpr.New(pathexpr.Alt, "", vals...)
}

// fieldTerm is a field of a struct. A field of a struct literal that this
// function makes is the value that the literal gives it.
func (p *Values) fieldTerm(base ssa.Value, index int) *pathexpr.Term {
	s := StructOf(base.Type())
	if s == nil {
		return nil
	}
	if a, ok := base.(*ssa.Alloc); ok {
		if v := fieldStore(a, index); v != nil {
			return p.Term(v)
		}
		if par := parameterIn(a, index); par != nil {
			base = par
		}
	}
	typ, name := NamedType(base.Type()), s.Field(index).Name()
	f := pathexpr.NewField(p.Term(base), typ, name)
	if v := p.Fields[s.Field(index).Origin()]; v != nil && typ != "" {
		if given := p.Term(v); given.Depth() <= maxAssigned {
			return f.WithValue(given)
		}
	}
	return f
}

// maxAssigned bounds the height of the value that a field's term carries.
const maxAssigned = 4

// fieldStore is the only value stored into a field of a local struct, also of
// one that is a copy of a local struct literal.
func fieldStore(a *ssa.Alloc, index int) ssa.Value {
	var val ssa.Value
	var copied *ssa.Alloc
	for _, ref := range flow.Uses(a) {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == a {
			if copied != nil {
				return nil
			}
			copied = LoadedFrom(s.Val)
		}
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || fa.Field != index {
			continue
		}
		for _, r := range flow.Uses(fa) {
			if s, ok := r.(*ssa.Store); ok && s.Addr == fa {
				if val != nil {
					return nil
				}
				val = s.Val
			}
		}
	}
	if val == nil && copied != nil && copied != a && copied.Comment == "complit" {
		return fieldStore(copied, index)
	}
	return val
}

// changesField reports whether a local struct is stored as a whole, and something into a
// field of it.
func changesField(a *ssa.Alloc) bool {
	return len(flow.StoresTo(a)) > 0 && slices.ContainsFunc(flow.Uses(a), func(i ssa.Instruction) bool {
		field, ok := i.(*ssa.FieldAddr)
		return ok && slices.ContainsFunc(flow.Uses(field), func(i ssa.Instruction) bool {
			s, ok := i.(*ssa.Store)
			return ok && s.Addr == field
		})
	})
}

// parameterIn is the parameter whose value a local struct has, as far as one of its fields
// goes: the parameter alone is stored into it, nothing into the field, and nobody else is
// given its address. Of the receiver of a method only texts are followed: options and handles are
// copied from one to the next, and are no name of a file.
func parameterIn(a *ssa.Alloc, index int) ssa.Value {
	var par ssa.Value
	for _, ref := range flow.Uses(a) {
		switch r := ref.(type) {
		case *ssa.Store:
			p, ok := r.Val.(*ssa.Parameter)
			if r.Addr != a || !ok || par != nil ||
				p.Parent().Signature.Recv() != nil && !IsString(StructOf(a.Type()).Field(index).Type()) {
				return nil
			}
			par = p
		case *ssa.FieldAddr:
			if r.Field == index && slices.ContainsFunc(flow.Uses(r), func(i ssa.Instruction) bool {
				s, ok := i.(*ssa.Store)
				return ok && s.Addr == r
			}) {
				return nil
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return par
}

// LoadedFrom is the local variable whose value v is, nil for any other value.
func LoadedFrom(v ssa.Value) *ssa.Alloc {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		a, _ := load.X.(*ssa.Alloc)
		return a
	}
	return nil
}

func (p *Values) phiTerm(v *ssa.Phi) *pathexpr.Term {
	if isTexts(v.Type()) {
		return nil
	}
	var parts []*pathexpr.Term
	for _, e := range flow.Edges(p.Flow.Budget, v) {
		parts = append(parts, p.Term(e))
	}
	if len(parts) == 0 {
		return nil
	}
	t := pathexpr.New(pathexpr.Alt, "", parts...)
	if t.Kind == pathexpr.Alt && len(t.Args) == 2 {
		for i, a := range t.Args {
			if a.Kind == pathexpr.Const && a.Text == "" {
				return t.Args[1-i]
			}
		}
	}
	return t
}

func (p *Values) extractTerm(v *ssa.Extract) *pathexpr.Term {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		return p.CallTerm(&tuple.Call, tuple, v.Index)
	case *ssa.TypeAssert:
		return p.Term(tuple.X)
	case *ssa.Lookup:
		return pathexpr.New(pathexpr.Elem, "", p.Term(tuple.X), p.Term(tuple.Index))
	case *ssa.Next:
		if r, ok := tuple.Iter.(*ssa.Range); ok {
			return pathexpr.New(pathexpr.Elem, fmt.Sprint(v.Index), p.Term(r.X))
		}
	}
	return nil
}

// CallTerm is result i of a call.
func (p *Values) CallTerm(c *ssa.CallCommon, v ssa.Value, i int) *pathexpr.Term {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		// What is appended to encoded bytes leaves them encoded, and so does what stands
		// before them.
		head := p.Term(c.Args[0])
		if len(c.Args) == 2 && known.IsBytes(c.Args[0].Type()) && Encoder(head) == "" {
			if tail := p.Term(c.Args[1]); Encoder(tail) != "" || head.Kind == pathexpr.Const && tail.Kind != pathexpr.Const {
				return pathexpr.New(pathexpr.Concat, "", head, tail)
			}
		}
		return head
	}
	fn := p.CalleeOf(c)
	args := CallArgs(c)
	if fn == nil {
		return p.literalTerm(p.Static(c), args, v, i)
	}
	if row, ok := known.Lookup(fn); ok && row.Op != known.None {
		return p.knownTerm(row, fn, args, v, i)
	}
	if callee := p.DeclaredBody(c, fn); callee != nil {
		results, settled := p.sums.Results(callee)
		if !settled || i >= len(results) || results[i] == nil {
			return p.opaque(fn, args) // what a function yields by calling itself has no other name
		}
		return p.Lower(results[i], p.ArgTerms(args))
	}
	if results := p.sums.ResultsOf(fn); i < len(results) && results[i] != nil {
		return p.Lower(results[i], p.ArgTerms(args))
	}
	if constructs(fn) {
		return p.Unknown(v)
	}
	return p.opaque(fn, args)
}

// constructs reports whether a function that cannot be seen makes a new object by each call, which
// nothing that it is given tells from others.
func constructs(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil || sig.Params().Len() > 0 || sig.Results().Len() == 0 || !strings.HasPrefix(fn.Name(), "New") {
		return false
	}
	_, pointer := sig.Results().At(0).Type().Underlying().(*types.Pointer)
	return pointer
}

// literalTerm is the i-th result v of a function literal that is called where it stands; nil
// for any other call.
func (p *Values) literalTerm(body *ssa.Function, args []ssa.Value, v ssa.Value, i int) *pathexpr.Term {
	if body == nil || body.Parent() == nil || body.Parent() != v.Parent() {
		return nil
	}
	results, settled := p.sums.Results(body)
	if !settled || i >= len(results) || results[i] == nil {
		return nil
	}
	return p.Lower(results[i], p.ArgTerms(args))
}

// opaque takes a function that cannot be seen for an accessor: the same
// arguments give the same result. That is right for paths, and only paths are
// compared.
func (p *Values) opaque(fn *types.Func, args []ssa.Value) *pathexpr.Term {
	terms := p.ArgTerms(args)
	if len(terms) > 4 {
		terms = terms[:4]
	}
	return pathexpr.New(pathexpr.Call, fn.Origin().FullName(), terms...)
}

// ArgTerms are the terms of arguments.
func (p *Values) ArgTerms(args []ssa.Value) []*pathexpr.Term {
	terms := make([]*pathexpr.Term, len(args))
	for i, a := range args {
		terms[i] = p.Term(a)
	}
	return terms
}

// knownTerm is result i of a function in the tables.
func (p *Values) knownTerm(row known.Row, fn *types.Func, args []ssa.Value, v ssa.Value, i int) *pathexpr.Term {
	arg := func(n int) *pathexpr.Term {
		if n < 0 || n >= len(args) {
			return pathexpr.New(pathexpr.Unknown, "")
		}
		return p.Term(args[n])
	}
	if i > 0 && row.Op != known.Format {
		return p.Unknown(v)
	}
	if known.UnderRoot(fn) && row.A > 0 {
		plain := arg
		arg = func(n int) *pathexpr.Term {
			path, _ := UnderRoot(row, plain(0), plain(n), nil)
			return path
		}
	}
	id := p.Unknown(v).Text
	switch row.Op {
	case known.Create, known.OpenFile, known.Open:
		return pathexpr.New(pathexpr.Handle, id, arg(row.A))
	case known.CreateTemp:
		return pathexpr.New(pathexpr.Handle, id, pathexpr.New(pathexpr.Fresh, id, arg(row.A), arg(row.B)))
	case known.MkdirTemp:
		return pathexpr.New(pathexpr.Fresh, id)
	case known.Pending:
		return pathexpr.New(pathexpr.Handle, id, pathexpr.New(pathexpr.Fresh, id, arg(row.A)))
	case known.NewLock:
		return pathexpr.New(pathexpr.LockHandle, id, arg(row.A))
	case known.LockBeside, known.RLockBeside:
		return pathexpr.New(pathexpr.LockHandle, id, LockBeside(arg(row.A)))
	case known.ReadFile, known.ReadAll:
		return pathexpr.New(pathexpr.Content, "", arg(row.A))
	case known.NameOf:
		return arg(row.A).Path()
	case known.LockPath:
		return p.LockFile(arg(row.A))
	case known.Wrap:
		return pathexpr.New(pathexpr.Wrap, Codec(fn), p.wrapped(fn, args, arg(row.A)))
	case known.Encode:
		return pathexpr.New(pathexpr.Encoded, p.codecBehind(fn), arg(row.A))
	case known.JoinPath:
		return pathexpr.New(pathexpr.Join, "", p.variadic(args)...)
	case known.Same:
		return arg(row.A)
	case known.Akin:
		return arg(row.A).Loosened()
	case known.Part:
		return pathexpr.New(pathexpr.Call, strings.ToLower(fn.Name()), arg(row.A))
	case known.Format:
		return p.formatTerm(args)
	case known.Stamp:
		if layout := arg(row.B); ofDay(layout) {
			return pathexpr.New(pathexpr.Call, fn.FullName(), layout)
		}
		return arg(row.A)
	case known.ProcessID:
		return pathexpr.New(pathexpr.Pid, "")
	case known.Unique:
		return pathexpr.New(pathexpr.Random, id)
	case known.UserFlag:
		return pathexpr.New(pathexpr.Input, arg(row.B).Text)
	}
	return p.opaque(fn, args)
}

// UnderRoot are the paths a and b of an operation, as far as they are paths, where it takes
// names in the directory root.
func UnderRoot(row known.Row, root, a, b *pathexpr.Term) (*pathexpr.Term, *pathexpr.Term) {
	if root == nil {
		return a, b
	}
	if row.A > 0 && a != nil {
		a = pathexpr.New(pathexpr.Join, "", root, a)
	}
	if (row.Op == known.Rename || row.Op == known.Link) && b != nil {
		b = pathexpr.New(pathexpr.Join, "", root, b)
	}
	return a, b
}

// ofDay reports whether a layout of package time tells no more than the day, so
// that all who ask on one day get the same.
func ofDay(layout *pathexpr.Term) bool {
	return layout.Kind == pathexpr.Const && strings.Contains(layout.Text, "06") &&
		!slices.ContainsFunc(
			[]string{"15", "03", "3:", "04", "05", "PM"},
			func(clock string) bool { return strings.Contains(layout.Text, clock) },
		)
}

// wrapped is what a writer or reader writes to or reads from: of several, the first
// that is an open file.
func (p *Values) wrapped(fn *types.Func, args []ssa.Value, one *pathexpr.Term) *pathexpr.Term {
	if !fn.Signature().Variadic() {
		return one
	}
	all := p.variadic(args)
	if i := slices.IndexFunc(all, func(t *pathexpr.Term) bool { return t.File().Kind == pathexpr.Handle }); i >= 0 {
		return all[i]
	}
	if len(all) > 0 {
		return all[0]
	}
	return one
}

// codecBehind names what encodes: for a function of the program that is named
// like an encoder, the encoder that it calls.
func (p *Values) codecBehind(fn *types.Func) string {
	var results []*pathexpr.Term
	if fn.Pkg() == p.Pass.Pkg {
		if body := p.SSA.Prog.FuncValue(fn.Origin()); body != nil {
			results, _ = p.sums.Results(body)
		}
	} else {
		results = p.sums.ResultsOf(fn)
	}
	for _, r := range results {
		if name := Encoder(r); name != "" {
			return name
		}
	}
	return Codec(fn)
}

// Codec names the package that encodes: "json".
func Codec(fn *types.Func) string {
	if fn.Pkg() == nil {
		return fn.Name()
	}
	return fn.Pkg().Name()
}

// variadic lists the elements of a variadic call, whose last argument is a
// slice of a local array.
func (p *Values) variadic(args []ssa.Value) []*pathexpr.Term {
	if len(args) == 0 {
		return nil
	}
	var terms []*pathexpr.Term
	for _, a := range args[:len(args)-1] {
		terms = append(terms, p.Term(a))
	}
	return append(terms, p.elements(args[len(args)-1])...)
}

// elements lists what a slice holds: the elements of a literal, and the slice itself
// where these are not known.
func (p *Values) elements(v ssa.Value) []*pathexpr.Term {
	if sl, ok := v.(*ssa.Slice); ok {
		if arr, ok := sl.X.(*ssa.Alloc); ok && sl.Low == nil && sl.High == nil && !p.elementsChange(v) {
			return p.literal(sl, arr)
		}
	}
	t := p.Term(v)
	if t.Kind == pathexpr.List {
		return t.Args
	}
	return []*pathexpr.Term{t}
}

// literal lists the elements of a literal of a slice, or of the arguments of a
// variadic call.
func (p *Values) literal(sl *ssa.Slice, arr *ssa.Alloc) []*pathexpr.Term {
	at := map[int64]*pathexpr.Term{}
	for _, e := range flow.Elements(arr) {
		if e.Index >= 0 {
			at[e.Index] = p.Term(e.Store.Val)
		}
	}
	if known.Pointee(arr.Type()).Underlying().(*types.Array).Len() != int64(len(at)) {
		return []*pathexpr.Term{p.Unknown(sl)}
	}
	terms := make([]*pathexpr.Term, len(at))
	for i := range terms {
		terms[i] = at[int64(i)]
	}
	return terms
}

// listTerm is a list of texts that is written out, or appended to one: nil for any
// other value, and where an element is changed later.
func (p *Values) listTerm(v ssa.Value) *pathexpr.Term {
	if !isTexts(v.Type()) || p.elementsChange(v) {
		return nil
	}
	var terms []*pathexpr.Term
	switch v := v.(type) {
	case *ssa.Slice:
		if arr, ok := v.X.(*ssa.Alloc); ok && v.Low == nil && v.High == nil {
			terms = p.literal(v, arr)
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			terms = slices.Concat(p.elements(v.Call.Args[0]), p.elements(v.Call.Args[1]))
		}
	}
	if len(terms) == 0 || len(terms) > MaxElements {
		return nil
	}
	return pathexpr.New(pathexpr.List, "", terms...)
}

// elementsChange reports whether an element of a slice is stored to by its index, or
// the slice is copied into, sorted or reversed.
func (p *Values) elementsChange(v ssa.Value) bool {
	return len(flow.Elements(v)) > 0 || slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		call, ok := ref.(*ssa.Call)
		if !ok {
			return false
		}
		fn := p.CalleeOf(&call.Call)
		return p.copies(&call.Call) && call.Call.Args[0] == v ||
			fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "sort" || fn.Pkg().Path() == "slices")
	})
}

// formatTerm spells a Sprintf as a concatenation.
func (p *Values) formatTerm(args []ssa.Value) *pathexpr.Term {
	format := p.Term(args[0])
	var vals []*pathexpr.Term
	if len(args) > 1 {
		vals = p.elements(args[1])
	}
	if format.Kind != pathexpr.Const {
		return pathexpr.New(pathexpr.Concat, "", append([]*pathexpr.Term{format}, vals...)...)
	}
	return pathexpr.New(pathexpr.Concat, "", formatParts(format.Text, vals)...)
}

func formatParts(format string, vals []*pathexpr.Term) []*pathexpr.Term {
	var parts []*pathexpr.Term
	for n := 0; format != ""; {
		i := strings.IndexByte(format, '%')
		if i < 0 || i == len(format)-1 {
			return append(parts, pathexpr.New(pathexpr.Const, format))
		}
		parts = append(parts, pathexpr.New(pathexpr.Const, format[:i]))
		format = strings.TrimLeft(format[i+1:], "+-# 0123456789.")
		if format == "" {
			break
		}
		if format[0] == '%' {
			parts = append(parts, pathexpr.New(pathexpr.Const, "%"))
		} else if n < len(vals) {
			parts = append(parts, vals[n])
			n++
		}
		format = format[1:]
	}
	return parts
}

// LockBeside is the path of the lock file of the file at path.
func LockBeside(path *pathexpr.Term) *pathexpr.Term {
	return pathexpr.New(pathexpr.Concat, "", path, pathexpr.New(pathexpr.Const, ".lock"))
}

// Outside restates a term of a literal in terms of the function around it.
func (p *Values) Outside(t *pathexpr.Term) *pathexpr.Term { return p.Lower(t, nil) }

// LockFile is the path of the lock file behind a lock or an open file: what its
// constructor was given, also for one that is kept in a field or a package
// variable. Where that is not known it is the term itself.
func (p *Values) LockFile(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	switch t.Kind {
	case pathexpr.Alt:
		paths := make([]*pathexpr.Term, len(t.Args))
		for i, a := range t.Args {
			paths[i] = p.LockFile(a)
		}
		return pathexpr.New(pathexpr.Alt, "", paths...)
	case pathexpr.Global:
		if len(t.Args) > 0 && t.Args[0].Path() != t.Args[0] {
			return t.Args[0].Path()
		}
	case pathexpr.Field:
		if of := t.Args[0]; of.Kind == pathexpr.LockHandle {
			return of.Path() // what a lock of another package keeps
		}
		if st := p.locks[t.Type+"."+t.Text]; st != nil {
			if path := p.LockPath(st, t.Args[0]); path != nil && path.Kind != pathexpr.Unknown {
				return path
			}
		}
	}
	return t.Path()
}

// LockPath is the path of the lock that st stores into a field, in terms of the
// object that has the field: what the constructor puts beside it into a text
// field is that field, and its other parameters are unknown.
func (p *Values) LockPath(st *ssa.Store, object *pathexpr.Term) *pathexpr.Term {
	lock := p.Term(st.Val)
	path := lock.Path()
	if path == lock {
		return nil
	}
	base := st.Addr.(*ssa.FieldAddr).X
	beside := p.textsOf(base, object)
	self := p.Term(base).Key()
	return path.Map(func(x *pathexpr.Term) *pathexpr.Term {
		if f := beside[x.Key()]; f != nil {
			return f
		}
		switch {
		case x.Key() == self:
			return object
		case x.Kind == pathexpr.Param:
			return pathexpr.New(pathexpr.Unknown, "var "+x.Text+"@")
		}
		return nil
	})
}

// textsOf are the text fields of the object at base that get their only value
// where it is made, by the key of that value. Nobody sees all that is stored into a
// package variable.
func (p *Values) textsOf(base ssa.Value, object *pathexpr.Term) map[string]*pathexpr.Term {
	fields := map[string]*pathexpr.Term{}
	of := StructOf(base.Type())
	for _, ref := range flow.Uses(base) {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || p.Fields[of.Field(fa.Field).Origin()] == nil {
			continue
		}
		for _, r := range flow.Uses(fa) {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
				if t := p.Term(st.Val); t.Kind != pathexpr.Const {
					fields[t.Key()] = pathexpr.NewField(object, NamedType(base.Type()), of.Field(fa.Field).Name()).WithValue(t)
				}
			}
		}
	}
	return fields
}

// Raise is lift for a term that may be missing.
func Raise(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	return lift(t)
}

// IsBool reports whether values of the type are true or false.
func IsBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// copies reports whether a call copies its second argument into the first.
func (p *Values) copies(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "copy"
	}
	fn := p.CalleeOf(c)
	return known.Is(fn, "maps.Copy")
}
