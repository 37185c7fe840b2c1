package effects

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cgo"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// Options are what the user asks of every check.
type Options struct {
	// State matches names of paths that hold state, nil for none.
	State *regexp.Regexp
}

// A StateIndex answers whether a file holds state. It sees the whole package.
type StateIndex struct {
	p       *Package
	opts    Options
	lex     *pathexpr.Lexicon
	read    map[string]*Effect // by abstract path: where it is read
	decoded map[string]*Effect // where what was read is decoded
	probed  map[string]*Effect // where a function asks whether it exists, and answers
	lists   []*Effect          // where a directory is listed, file by file
	keeps   []*Effect          // where a function itself keeps an open file in a field
	loaders map[string]*Func   // by receiver and subject: Load for Save
	marked  map[string]bool    // names with a state directive
	places  map[string]bool    // what accessors and constants with one yield

	generated map[*ast.File]bool
	serves    pathexpr.Service // whom the package serves
}

// NewStateIndex indexes the readers of the package.
func NewStateIndex(p *Package, opts Options) *StateIndex {
	x := &StateIndex{
		p: p, opts: opts, lex: pathexpr.NewLexicon(),
		read: map[string]*Effect{}, decoded: map[string]*Effect{}, probed: map[string]*Effect{}, loaders: map[string]*Func{},
		marked: markedNames(p.pass.Files, p.pass.TypesInfo), generated: map[*ast.File]bool{},
	}
	for _, f := range p.pass.Files {
		x.generated[f] = cgo.Generated(p.pass.Fset, f)
	}
	x.serves = x.lex.Serves(unitOf(p.pass.Pkg))
	x.places = x.markedPlaces()
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			x.index(e)
		}
		x.indexLoader(f)
	}
	return x
}

// unitOf is the package as far as that says whom it serves.
func unitOf(pkg *types.Package) pathexpr.Unit {
	u := pathexpr.Unit{Path: pkg.Path(), Name: pkg.Name()}
	for _, imp := range pkg.Imports() {
		u.Imports = append(u.Imports, imp.Path())
	}
	return u
}

func (x *StateIndex) index(e *Effect) {
	switch e.Kind {
	case Read:
		keep(x.read, e.Path, e)
	case List:
		if !sifts(e.In) && !onlyDirs(e.In) {
			x.lists = append(x.lists, e)
		}
	case Keep:
		if _, ok := e.instr.(*ssa.Store); ok {
			x.keeps = append(x.keeps, e)
		}
	case Stat:
		if e.Foreign == "" && answers(e.In.Signature) && !x.looksInside(e) {
			keep(x.probed, e.Path, e)
		}
	case Decode:
		e.Data.Any(func(t *pathexpr.Term) bool {
			if t.Kind == pathexpr.Content {
				keep(x.read, t.Args[0].Path(), e)
				keep(x.decoded, t.Args[0].Path(), e)
			}
			return false
		})
	}
}

func keep(m map[string]*Effect, path *pathexpr.Term, e *Effect) {
	if path == nil {
		return
	}
	for _, alt := range alternatives(path) {
		if key := alt.Abstract(); key != "" && m[key] == nil {
			m[key] = e
		}
	}
}

func alternatives(t *pathexpr.Term) []*pathexpr.Term {
	if t.Kind == pathexpr.Alt {
		return t.Args
	}
	return []*pathexpr.Term{t}
}

// Verbs of functions that save, and of their counterparts that load.
var (
	saveVerbs = []string{"save", "write", "store", "persist", "dump", "put", "set", "update", "flush", "append"}
	loadVerbs = []string{"load", "read", "open", "get", "restore", "parse", "fetch"}
)

// whole lists the verbs that need no object: Save and Load of a type speak of
// the value itself, Get and Set of some part of it.
var whole = map[string]bool{
	"save": true, "write": true, "store": true, "persist": true, "dump": true, "load": true, "read": true, "restore": true,
}

// subject strips the verb off a function's name: "SaveConfigLocked" and
// "loadConfig" both deal with "config".
func subject(name string, verbs []string) (string, bool) {
	lower := strings.ToLower(name)
	for _, v := range verbs {
		if rest, ok := strings.CutPrefix(lower, v); ok {
			for _, suffix := range []string{"unsafe", "locked", "tofile", "fromfile", "todisk", "fromdisk", "to", "from", "file", "s"} {
				rest = strings.TrimSuffix(rest, suffix)
			}
			return rest, rest != "" || whole[v]
		}
	}
	return "", false
}

// indexLoader notes a function that loads: under its receiver's type and its
// subject; a plain one that returns a value of a type as that type's loader, too.
func (x *StateIndex) indexLoader(f *Func) {
	subj, ok := subject(f.SSA.Name(), loadVerbs)
	if !ok || !slices.ContainsFunc(f.Effects, func(e *Effect) bool { return e.Kind == Read || e.Kind == Decode }) {
		return
	}
	x.loaders[recvName(f.SSA)+"."+subj] = f
	if res := f.SSA.Signature.Results(); recvName(f.SSA) == "" && res.Len() > 0 {
		if typ := namedType(res.At(0).Type()); typ != "" && x.loaders[typ+"."] == nil {
			x.loaders[typ+"."] = f
		}
	}
}

func recvName(fn *ssa.Function) string {
	if recv := outermost(fn).Signature.Recv(); recv != nil {
		return namedType(recv.Type())
	}
	return ""
}

// loader is the counterpart of the function that writes.
func (x *StateIndex) loader(fn *ssa.Function) *Func {
	fn = outermost(fn)
	subj, ok := subject(fn.Name(), saveVerbs)
	if !ok {
		return nil
	}
	if f := x.loaders[recvName(fn)+"."+subj]; f != nil {
		return f
	}
	if subj == "" {
		return nil
	}
	return x.loaders["."+subj]
}

// Manner is how a file is written, as far as it bears on what the file holds.
type Manner struct {
	// Published says that it is moved over its target by a rename.
	Published bool
	// Grown says that something is added to what it holds.
	Grown bool
	// Shared says that its temporary name is one that others use too.
	Shared bool
	// Emptied says that all that it holds can be lost, not only a part of that: then
	// it counts that its new content is made of the old.
	Emptied bool
	// Target is the path that it is moved to, as the source spells it; nil where
	// the source is not at hand.
	Target ast.Expr
}

// Judge weighs whether the path that w writes holds state; w is one of root's
// effects. how says what the caller knows of the way the file is written.
func (x *StateIndex) Judge(root *Func, w *Effect, path *pathexpr.Term, how Manner) (pathexpr.Verdict, []finding.Evidence) {
	if helpsTests(w.In) || helpsTests(root.SSA) {
		return pathexpr.Verdict{Against: "its function serves tests"}, nil
	}
	s := &pathexpr.Subject{
		Path: path, Data: w.Data, Ident: ident(w, how), Dropped: w.Whole && w.Dropped, Published: how.Published, Shared: how.Shared,
		Func: outermost(w.In).Name(), Caller: outermost(root.SSA).Name(), Package: x.p.pass.Pkg.Path(), Serves: x.serves,
	}
	if recv := recvName(w.In); recv != "" {
		s.Recv = recv[strings.LastIndexByte(recv, '.')+1:]
	}
	var ev []finding.Evidence
	decoder, reader := x.readers(root, w, path)
	if decoder != nil {
		s.Decoded, s.ReadBack = true, true
		ev = append(ev, x.evidence(decoder, "decodes it again"))
	} else if reader != nil {
		s.ReadBack = true
		ev = append(ev, x.evidence(reader, "reads it back"))
	}
	if l := first(x.loader(w.In), x.loader(root.SSA)); l != nil && w.Foreign == "" {
		s.Loader = true
		if reader == nil {
			ev = append(ev, finding.Evidence{Pos: l.SSA.Pos(), Text: l.Name() + " loads it again"})
		}
	}
	if stat := x.trusted(root, w, path); stat != nil {
		s.Trusted = true
		ev = append(ev, x.evidence(stat, "takes its existence for its content"))
	}
	s.Grown = how.Grown && x.readElsewhere(root, path)
	x.content(root, w, s)
	if s.Copied && (w.Foreign != "" || x.ownRead(w, reader)) {
		// A copying helper looks at what it overwrites, and reads files that it
		// copies elsewhere.
		s.ReadBack = s.Decoded
	}
	if s.Encoded != "" {
		ev = append(ev, finding.Evidence{Pos: w.Pos, Text: encodedAs(s.Encoded)})
	}
	if how.Emptied && len(pathexpr.Constants(path.Last())) > 0 && root.derived(w, path) {
		s.Derived = true
		ev = append(ev, finding.Evidence{Pos: w.Pos, Text: "its new content is made of what it held"})
	}
	s.Marked = x.isMarked(path, w)
	if s.Marked {
		ev = append(ev, finding.Evidence{Pos: w.Pos, Text: "it is declared to be state"})
	}
	v := x.lex.Judge(s)
	if v.Named != "" {
		ev = append(ev, finding.Evidence{Pos: w.Pos, Text: v.Named})
	}
	if how.Published {
		ev = append(ev, finding.Evidence{Pos: w.Pos, Text: "it is published by a rename, so that readers see it whole"})
	}
	return v, ev
}

// derived reports whether what w puts into a file was made of what that held, of
// which no copy was made before.
func (f *Func) derived(w *Effect, path *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(Write, Replace), func(e *Effect) bool {
		return (e.Kind == Write && e.On(w.Handle) || e.Kind == Replace && e == w) &&
			slices.ContainsFunc(e.From, func(s Source) bool { return s.File() != nil && SameFile(s.File(), path) })
	}) && !slices.ContainsFunc(f.OfKind(Write), func(e *Effect) bool {
		return e.Path != nil && !SameFile(e.Path, path) && e.Data != nil && e.Data.Kind == pathexpr.Content && reads(e.Data, path) && Reaches(e, w)
	})
}

// helpsTests reports whether a function is given the test that it works for, or is
// said to serve tests alone.
func helpsTests(fn *ssa.Function) bool {
	if decl, ok := outermost(fn).Syntax().(*ast.FuncDecl); ok && forTests.MatchString(strings.Join(strings.Fields(decl.Doc.Text()), " ")) {
		return true
	}
	for par := range outermost(fn).Signature.Params().Variables() {
		switch types.TypeString(par.Type(), nil) {
		case "*testing.T", "*testing.B", "*testing.F", "testing.TB":
			return true
		}
	}
	return false
}

// forTests are words of a comment on what nothing but a test calls.
var forTests = pattern.New(`(?i)\b(only|solely|exclusively) (used |called |meant |intended |exported )?(for|by|in|from|during|within) (the )?([\w-]+ )?test(s|ing)?\b|\bused (for|by|in) (the )?([\w-]+ )?test(s|ing)? only\b`)

// ownRead reports whether the function that makes the write has a helper read
// the file.
func (x *StateIndex) ownRead(w, reader *Effect) bool {
	own := x.p.Of(w.In)
	return reader != nil && own != nil && reader.In != w.In && slices.ContainsFunc(own.Effects, func(e *Effect) bool { return e.Pos == reader.Pos })
}

// trusted finds the test for existence that decides whether the file is
// written at all, or whether another function is content. A helper that answers
// with nothing but an error, or not at all, makes room or refuses to overwrite;
// it trusts nothing.
func (x *StateIndex) trusted(root *Func, w *Effect, path *pathexpr.Term) *Effect {
	for _, e := range root.OfKind(Stat) {
		if e.Foreign == "" && SameFile(e.Path, path) && Before(e, w) && (e.In == w.In || e.In == root.SSA || answers(e.In.Signature)) && !x.looksInside(e) {
			return e
		}
	}
	for _, alt := range alternatives(path) {
		if key := alt.Abstract(); key != "" && x.probed[key] != nil {
			return x.probed[key]
		}
	}
	return nil
}

// looksInside reports whether the function that asks for a file reads it, too.
func (x *StateIndex) looksInside(stat *Effect) bool {
	f := x.p.Of(stat.In)
	if f == nil {
		return false
	}
	i := slices.IndexFunc(f.Effects, func(e *Effect) bool { return e.Kind == Stat && e.Pos == stat.Pos })
	return i >= 0 && slices.ContainsFunc(f.Effects, func(e *Effect) bool {
		return e.Kind == Read && SameFile(e.Path, f.Effects[i].Path)
	})
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

func (x *StateIndex) evidence(e *Effect, does string) finding.Evidence {
	return finding.Evidence{Pos: e.Pos, Text: FuncName(e.In) + " " + does}
}

// readers finds who decodes and who reads the path: in the function itself by
// the exact term, elsewhere in the package by the abstract one.
// What the writing call of another package reads itself, that package knew.
func (x *StateIndex) readers(root *Func, w *Effect, path *pathexpr.Term) (decoder, reader *Effect) {
	for _, alt := range alternatives(path) {
		if key := alt.Abstract(); key != "" {
			decoder, reader = first(decoder, other(x.decoded[key], w)), first(reader, other(x.read[key], w))
		}
		for _, e := range root.OfKind(Read, Decode) {
			switch {
			case other(e, w) == nil:
			case e.Kind == Read && SameFile(e.Path, alt):
				reader = first(reader, e)
			case e.Kind == Decode && reads(e.Data, alt):
				decoder, reader = first(decoder, e), first(reader, e)
			}
		}
	}
	return decoder, reader
}

// readElsewhere reports whether a function that root does not lead to reads the path,
// nor one that leads to root.
func (x *StateIndex) readElsewhere(root *Func, path *pathexpr.Term) bool {
	key := path.Abstract()
	return key != "" && slices.ContainsFunc(x.p.Funcs, func(f *Func) bool {
		return f != root && slices.ContainsFunc(f.OfKind(Read), func(e *Effect) bool {
			return e.Path != nil && e.Path.Abstract() == key
		}) && !x.p.Leads(root, f) && !x.p.Leads(f, root)
	})
}

// Reader is where the package reads the path, nil where it does not.
func (x *StateIndex) Reader(root *Func, path *pathexpr.Term) *Effect {
	_, r := x.readers(root, &Effect{}, path)
	return r
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// other is e, unless it happens inside the same call of another package as w.
func other(e, w *Effect) *Effect {
	if e != nil && w.Foreign != "" && e.Pos == w.Pos {
		return nil
	}
	return e
}

func reads(data, path *pathexpr.Term) bool {
	return data.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Content && SameFile(t.Args[0], path) })
}

// content says what reaches the file: an encoder's output, a copy, a constant.
func (x *StateIndex) content(root *Func, w *Effect, s *pathexpr.Subject) {
	writes, copies, constants := 0, 0, 0
	see := func(data *pathexpr.Term) {
		writes++
		data = root.madeBy(data)
		if data != nil && (s.Data == nil || data.Has(pathexpr.Made)) {
			s.Data = data
		}
		switch {
		case data == nil:
		case encoder(data) != "":
			if s.Encoded == "" {
				s.Encoded = encoder(data)
				s.Value = encodedType(data)
			}
		case data.Kind == pathexpr.Content && !SameFile(data.Args[0], w.Path):
			copies++
		case data.Kind == pathexpr.Const || data.Kind == pathexpr.Global:
			constants++
		}
	}
	for _, e := range root.OfKind(Write, Replace) {
		if e.Kind == Write && e.On(w.Handle) || e.Kind == Replace && e == w {
			see(e.Data)
		}
	}
	s.Copied = writes > 0 && copies == writes
	s.Constant = writes > 0 && constants == writes
}

// encodedType names the type of the value that is encoded.
func encodedType(data *pathexpr.Term) string {
	name := ""
	data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Encoded && len(t.Args) > 0 {
			name = t.Args[0].Type
			name = name[strings.LastIndexByte(name, '.')+1:]
		}
		return name != ""
	})
	return name
}

// formats are what the encoders of well-known packages make. The name of any
// other package says nothing of the format.
var formats = map[string]string{
	"json": "json", "jsoniter": "json", "sonic": "json", "protojson": "json", "jsonpb": "json",
	"yaml": "yaml", "toml": "toml", "xml": "xml", "csv": "csv", "ini": "ini", "plist": "plist", "prototext": "text proto",
	"gob": "gob", "proto": "proto", "cbor": "cbor", "msgpack": "msgpack", "bson": "bson", "asn1": "asn1", "rlp": "rlp",
	"pem": "pem", "hex": "hex", "base32": "base32", "base64": "base64",
	"png": "png", "jpeg": "jpeg", "gif": "gif",
}

// encodedAs says of a content that an encoder made it, and which.
func encodedAs(codec string) string {
	if format := formats[codec]; format != "" {
		return "its content is encoded as " + format
	}
	return "its content comes from an encoder"
}

// encoder names the encoder that made the bytes.
func encoder(data *pathexpr.Term) string {
	name := ""
	data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Encoded {
			name = t.Text
		}
		return name != ""
	})
	return name
}

// ident is the path as the source spells it, its last name only.
func ident(w *Effect, how Manner) string {
	path := how.Target
	if !how.Published && w.Call != nil && len(w.Call.Args) > 0 {
		path = w.Call.Args[0]
	}
	switch a := path.(type) {
	case *ast.ParenExpr:
		return ident(w, Manner{Published: true, Target: a.X})
	case *ast.Ident:
		return a.Name
	case *ast.SelectorExpr:
		return a.Sel.Name
	case *ast.CallExpr:
		if sel, ok := a.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name != "Join" && sel.Sel.Name != "Sprintf" {
			return sel.Sel.Name
		}
		if id, ok := a.Fun.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

func (x *StateIndex) isMarked(path *pathexpr.Term, w *Effect) bool {
	if x.opts.State != nil && pathexpr.Matches(path, x.opts.State) {
		return true
	}
	if len(x.marked) == 0 {
		return false
	}
	if obj := outermost(w.In).Object(); obj != nil && x.marked[objName(obj)] {
		return true
	}
	return path.Any(func(t *pathexpr.Term) bool {
		switch t.Kind {
		case pathexpr.Field:
			return x.marked[t.Type+"."+t.Text]
		case pathexpr.Global, pathexpr.Call:
			return x.marked[t.Text]
		case pathexpr.Const:
			return x.places[t.Key()]
		}
		return false
	}) || x.places[path.Abstract()]
}

// markedPlaces are the paths that marked accessors and constants yield: neither
// leaves its name in the term of a path.
func (x *StateIndex) markedPlaces() map[string]bool {
	places := map[string]bool{}
	if len(x.marked) == 0 {
		return places
	}
	for _, f := range x.p.Funcs {
		if obj := f.SSA.Object(); obj != nil && x.marked[objName(obj)] && len(f.Results) > 0 {
			if key := f.Results[0].Abstract(); key != "" {
				places[key] = true
			}
		}
	}
	for _, obj := range x.p.pass.TypesInfo.Defs {
		if c, ok := obj.(*types.Const); ok && c.Val().Kind() == constant.String && x.marked[objName(c)] {
			places[pathexpr.New(pathexpr.Const, constant.StringVal(c.Val())).Key()] = true
		}
	}
	return places
}

// Generated reports whether pos stands in a file that a program wrote. What cgo makes
// of a file of the user is none.
func (x *StateIndex) Generated(pos token.Pos) bool {
	for _, f := range x.p.pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return x.generated[f]
		}
	}
	return false
}
