// Package state says whether a file holds state, and how likely it is that a maintainer wants a finding about it fixed.
//
// The features of a finding are the rules that spoke for it, and those that say that less is lost; what each is worth is
// not set by hand but fitted to labelled findings of public programs, by tools/learn. What makes a finding untrue is a
// veto, which is neither learned nor outweighed.
package state

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cgo"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/slice"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Options are what the user asks of every check.
type Options struct {
	// State matches names of paths that hold state, nil for none.
	State *regexp.Regexp
	// Log keeps the candidates of the checks, and says which rules are left out; nil for
	// none.
	Log *verdict.Log
}

// An Index answers whether a file holds state. It sees the whole package.
type Index struct {
	p       *effects.Package
	opts    Options
	read    map[string]*effects.Effect // by abstract path: where it is read
	decoded map[string]*effects.Effect // where what was read is decoded
	probed  map[string]*effects.Effect // where a function asks whether it exists, and answers
	lists   []*effects.Effect          // where a directory is listed, file by file
	keeps   []*effects.Effect          // where a function itself keeps an open file in a field
	loaders map[string]*effects.Func   // by receiver and subject: Load for Save
	marked  map[string]bool            // names with a state directive
	places  map[string]bool            // what accessors and constants with one yield

	generated map[*ast.File]bool
	serves    Service                // whom the package serves
	sources   map[*ast.File]Service  // whom its source files serve
	helps     map[*ssa.Function]bool // see helpsTests
	pids      map[*ssa.Function]bool // see encodesPid
	comments  map[token.Pos]string   // see CommentAt
	pinned    map[token.Pos]bool     // see saidToStay
}

// NewIndex indexes the readers of the package.
func NewIndex(p *effects.Package, opts Options) *Index {
	x := &Index{
		p: p, opts: opts, marked: markedNames(p.Pass.Files, p.Pass.TypesInfo),
		read: map[string]*effects.Effect{}, decoded: map[string]*effects.Effect{}, probed: map[string]*effects.Effect{},
		loaders: map[string]*effects.Func{}, generated: map[*ast.File]bool{}, sources: map[*ast.File]Service{},
		helps: map[*ssa.Function]bool{}, pids: map[*ssa.Function]bool{}, comments: map[token.Pos]string{}, pinned: map[token.Pos]bool{},
	}
	for _, f := range p.Pass.Files {
		x.generated[f] = cgo.Generated(p.Pass.Fset, f)
	}
	x.serves = Serves(unitOf(p.Pass.Pkg))
	for _, f := range p.Pass.Files {
		u := unitOf(p.Pass.Pkg)
		u.Source = importsOf(f)
		x.sources[f] = Serves(u)
	}
	x.places = x.markedPlaces()
	given := assignedFields(p)
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			x.index(e, given[f.SSA])
		}
		x.indexLoader(f)
	}
	return x
}

// A assignedField is a field that a function gives its only value.
type assignedField struct{ value, field *pathexpr.Term }

// assignedFields are the text fields to which functions give a value that comes from outside,
// such as a constructor the path of a file: what the one reads under its parameter, methods
// write under the field.
func assignedFields(p *effects.Package) map[*ssa.Function][]assignedField {
	list := map[*ssa.Function][]assignedField{}
	for _, tn := range structs(p.Pass.Pkg) {
		for field := range memory.StructOf(tn.Type()).Fields() {
			v := p.Fields[field]
			if v == nil || v.Parent() == nil {
				continue
			}
			if t := p.Term(v); t != nil && t.Has(pathexpr.Param) {
				typ := memory.NamedType(tn.Type())
				list[v.Parent()] = append(
					list[v.Parent()],
					assignedField{t, pathexpr.NewField(pathexpr.New(pathexpr.Call, "any "+typ), typ, field.Name())},
				)
			}
		}
	}
	return list
}

// structs are the struct types that a package declares, by name.
func structs(pkg *types.Package) []*types.TypeName {
	var list []*types.TypeName
	for _, name := range pkg.Scope().Names() {
		if tn, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() && memory.StructOf(tn.Type()) != nil {
			list = append(list, tn)
		}
	}
	return list
}

// unitOf is the package as far as that says whom it serves.
func unitOf(pkg *types.Package) Unit {
	u := Unit{Path: pkg.Path(), Name: pkg.Name()}
	for _, imp := range pkg.Imports() {
		u.Imports = append(u.Imports, imp.Path())
	}
	u.Source = u.Imports
	return u
}

// importsOf are the import paths of what a source file imports.
func importsOf(f *ast.File) (paths []string) {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// servesAt says whom the source file around a position serves.
func (x *Index) servesAt(pos token.Pos) Service {
	for f, s := range x.sources {
		if f.FileStart <= pos && pos < f.FileEnd {
			return s
		}
	}
	return x.serves
}

func (x *Index) index(e *effects.Effect, given []assignedField) {
	keep := func(m map[string]*effects.Effect, path *pathexpr.Term, e *effects.Effect) {
		keep(m, path, e)
		for _, g := range given {
			keep(m, g.in(path), e)
		}
	}
	switch e.Kind {
	case effects.Read:
		keep(x.read, e.Path, e)
	case effects.List:
		if !sifts(x.p, e.In) && !listsDirs(e.In) {
			x.lists = append(x.lists, e)
		}
	case effects.StoreHandle:
		if _, ok := e.At.(*ssa.Store); ok {
			x.keeps = append(x.keeps, e)
		}
	case effects.Stat:
		if e.Foreign == "" && slice.Answers(e.In.Signature) && !x.looksInside(e) && !asksMode(e) {
			keep(x.probed, e.Path, e)
		}
	case effects.Decode:
		for _, file := range filesOf(e) {
			keep(x.read, file, e)
			keep(x.decoded, file, e)
		}
	}
}

// in is a path with the field in the place of its value; nil where that is no part of it.
func (g assignedField) in(path *pathexpr.Term) *pathexpr.Term {
	found := false
	path = path.Map(func(t *pathexpr.Term) *pathexpr.Term {
		if t.Key() != g.value.Key() {
			return nil
		}
		found = true
		return g.field
	})
	if !found {
		return nil
	}
	return path
}

func keep(m map[string]*effects.Effect, path *pathexpr.Term, e *effects.Effect) {
	if path == nil {
		return
	}
	for _, alt := range effects.Alternatives(path) {
		if key := alt.PackageKey(); key != "" && m[key] == nil {
			m[key] = e
		}
	}
}

// indexLoader notes a function that loads: under its receiver's type and its
// subject; a plain one that returns a value of a type as that type's loader, too.
func (x *Index) indexLoader(f *effects.Func) {
	subj, ok := lexicon.ObjectOf(f.SSA.Name(), lexicon.LoadVerbs)
	if !ok || isOfUnnamed(f.SSA) ||
		!slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool { return e.Kind == effects.Read || e.Kind == effects.Decode }) {
		return
	}
	x.loaders[memory.RecvName(f.SSA)+"."+subj] = f
	if res := f.SSA.Signature.Results(); memory.RecvName(f.SSA) == "" && res.Len() > 0 {
		if typ := memory.NamedType(res.At(0).Type()); typ != "" && x.loaders[typ+"."] == nil {
			x.loaders[typ+"."] = f
		}
	}
}

// loader is the counterpart of the function that writes.
func (x *Index) loader(fn *ssa.Function) *effects.Func {
	fn = memory.Outermost(fn)
	subj, ok := lexicon.ObjectOf(fn.Name(), lexicon.SaveVerbs)
	if !ok || isOfUnnamed(fn) {
		return nil
	}
	if f := x.loaders[memory.RecvName(fn)+"."+subj]; f != nil {
		return f
	}
	if subj == "" {
		return nil
	}
	return x.loaders["."+subj]
}

// speaksOf reports whether the name of root says something of the file that w writes, for which root
// calls another function: root names the file, or writes no other.
func (x *Index) speaksOf(root *effects.Func, w *effects.Effect) bool {
	f := x.p.Of(w.In)
	if f == nil || f == root {
		return true
	}
	byItself := slices.ContainsFunc(f.OfKind(w.Kind), func(e *effects.Effect) bool {
		return e.Pos == w.Pos && e.Path != nil && len(pathexpr.Constants(e.Path)) > 0
	})
	return !byItself || !writesOthers(root, w)
}

// writesOthers reports whether f writes another file than w does.
func writesOthers(f *effects.Func, w *effects.Effect) bool {
	return f != nil && slices.ContainsFunc(f.OfKind(effects.Truncate, effects.Replace), func(e *effects.Effect) bool {
		return e.Pos != w.Pos && e.Path != nil && w.Path != nil && !memory.SameFile(e.Path, w.Path)
	})
}

// isOfUnnamed reports whether a function is a method of a type that goes by no name here, such as
// a list: a plain function of the same name has nothing to do with it.
func isOfUnnamed(fn *ssa.Function) bool {
	return fn.Signature.Recv() != nil && memory.RecvName(fn) == ""
}

// A WriteContext is how a file is written, as far as it bears on what the file holds.
type WriteContext struct {
	// Published says that it is moved over its target by a rename.
	Published bool
	// Grown says that something is added to what it holds.
	Grown bool
	// Fails says that it is replaced in a way that fails whatever it holds.
	Fails bool
	// Stuck says that a crash makes each later write fail: what the file holds does not
	// matter then.
	Stuck bool
	// Emptied says that all that it holds can be lost, not only a part of that: then
	// it counts that its new content is made of the old.
	Emptied bool
	// Updated says that it is loaded, changed and saved.
	Updated bool
	// Target is the path that it is moved to, as the source spells it; nil where
	// the source is not at hand.
	Target ast.Expr
}

// Judge weighs whether the path that w writes holds state; w is one of root's
// effects. how says what the caller knows of the way the file is written.
// What speaks for the verdict is noted of the candidate k.
func (x *Index) Judge(k *verdict.Candidate, root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) Verdict {
	v := x.judge(root, w, path, how)
	x.note(k, root, w, path)
	k.Because(v.Reasons...)
	return v
}

func (x *Index) judge(root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) Verdict {
	if (x.helpsTests(w.In) || x.helpsTests(root.SSA)) && x.opts.Log.Asks(forTest) {
		return Verdict{Reasons: []verdict.Reason{{Rule: forTest, Pos: w.Pos, Text: "its function serves tests"}}}
	}
	v := x.features(root, w, path, how).judge()
	if how.Published {
		v.Evidence = append(v.Evidence, finding.Evidence{Pos: w.Pos, Text: "it is published by a rename, so that readers see it whole"})
	}
	if v.Is(Promised) {
		v.Evidence = append(v.Evidence, finding.Evidence{Pos: w.Pos, Text: "the function that writes it is named for atomic writes"})
	}
	return v
}

// features are what is known of a write and its readers.
func (x *Index) features(root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) *features {
	s := &features{
		log: x.opts.Log, pos: w.Pos, path: path, data: w.Data, ident: ident(w, how), stuck: how.Stuck,
		fn: memory.Outermost(w.In).Name(), caller: memory.Outermost(root.SSA).Name(),
		pkg: x.p.Pass.Pkg.Path(), serves: x.servesAt(w.In.Pos()),
	}
	if recv := memory.RecvName(w.In); recv != "" {
		s.recv = recv[strings.LastIndexByte(recv, '.')+1:]
	}
	x.content(root, w, s)
	x.addReaders(s, root, w, path)
	if s.encoder != "" && s.says(encoded, "its content comes from an encoder") {
		s.shows(w.Pos, EncodedAs(s.encoder))
	}
	made := how.Emptied && x.derived(root, w, path)
	if (made || how.Updated) && s.says(derivedOf, "its new content is made of what it held") {
		s.derived = made && pathexpr.Spelled(path)
		s.edited = how.Updated || !s.derived
		if s.derived || s.isEditedByPair() {
			s.shows(w.Pos, "its new content is made of what it held")
		}
	}
	if x.isMarked(path, w) && s.says(marked, "it is declared to be state") {
		s.shows(w.Pos, "it is declared to be state")
	}
	x.addManner(s, root, w, how)
	return s
}

// addManner adds what the way says in which the file is written.
func (x *Index) addManner(s *features, root *effects.Func, w *effects.Effect, how WriteContext) {
	moved := how.Published && w.Foreign == "" // a helper of another package does that for every file
	for _, f := range []struct {
		holds bool
		rule  *verdict.Rule
		text  string
	}{
		{moved, published, "it is published by a rename"},
		{lexicon.Promises(s.fn) || moved && lexicon.Promises(s.caller), Promised, "the function that writes it is named for atomic writes"},
		{how.Fails, anyContent, "how it is replaced fails whatever it holds"},
		{how.Grown && x.readElsewhere(root, s.path), grown, "the program adds to it, and reads it elsewhere"},
	} {
		if f.holds {
			s.says(f.rule, f.text)
		}
	}
}

// addReaders adds what is known of who reads the file back.
func (x *Index) addReaders(s *features, root *effects.Func, w *effects.Effect, path *pathexpr.Term) {
	decoder, reader := x.readers(root, w, path)
	if decoder != nil && s.says(decoded, "the program decodes it again") {
		s.shows(decoder.Pos, memory.FuncName(decoder.In)+" decodes it again")
	}
	// A copying helper looks at what it overwrites, and reads files that it copies elsewhere.
	copies := s.copied && (w.Foreign != "" || x.ownRead(w, reader))
	if reader != nil && (decoder != nil || !copies) && s.says(readBack, "the program reads it back") && decoder == nil {
		s.shows(reader.Pos, memory.FuncName(reader.In)+" reads it back")
	}
	l := x.loader(w.In)
	if l == nil && x.speaksOf(root, w) {
		l = x.loader(root.SSA)
	}
	if l != nil && w.Foreign == "" && s.says(loader, "a function that is named as its loader reads such a file") {
		s.own = memory.RecvName(l.SSA) != ""
		if reader == nil {
			s.shows(l.SSA.Pos(), l.Name()+" loads it again")
		}
	}
	if stat := x.trusted(root, w, path); stat != nil && s.says(trusted, "its existence is taken for its content") {
		s.shows(stat.Pos, memory.FuncName(stat.In)+" takes its existence for its content")
	}
}

// Candidate is the place of an effect as a candidate of a check.
func (x *Index) Candidate(check string, e *effects.Effect) *verdict.Candidate {
	return x.opts.Log.Candidate(check, e.Pos, memory.FuncName(e.In))
}

// Log keeps the candidates of the checks.
func (x *Index) Log() *verdict.Log {
	if x == nil {
		return nil
	}
	return x.opts.Log
}

var forTest = verdict.Declare(verdict.Rule{
	ID: "state/serves-test", Effect: verdict.Forbids, Fixture: "tornwrite/helper",
	Why:    "the function gets a *testing.T or the like, or its comment says that only tests call it",
	Source: "helpers of tests outside of _test.go in the sample of write sites",
})

var manyCallers = verdict.Declare(verdict.Rule{
	ID: "state/many-callers", Effect: verdict.For, Fixture: "clobber/decode",
	Why:    "three or more places call the function that writes: the file is written time and again",
	Source: "57 such errors in public programs: their readers wanted 60 % of them, and 38 % of the others",
})

// many is how many call sites show that a file is written time and again.
const many = 3

// note notes the features of a write of the file path that bear on the score alone: which words its names have, and how
// often it is written.
func (x *Index) note(k *verdict.Candidate, root *effects.Func, w *effects.Effect, path *pathexpr.Term) {
	if path == nil {
		return
	}
	names := append(pathexpr.Names(path.Last()), pathexpr.Constants(path.Last())...)
	for _, fn := range []*ssa.Function{memory.Outermost(w.In), memory.Outermost(root.SSA)} {
		if len(x.p.Callers().Sites(fn)) >= many {
			k.Says(manyCallers, w.Pos, "many places call the function that writes it")
		}
		names = append(names, fn.Name())
	}
	for _, l := range []*lexicon.List{lexicon.Sessions, lexicon.Preferences, lexicon.Secrets} {
		if word, name := l.Words.In(names...); word != "" {
			k.Says(l.Rule, w.Pos, "\""+name+"\" says "+word)
		}
	}
}

// derived reports whether what w puts into a file was made of what that held, of
// which no copy was made before.
func (x *Index) derived(f *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	return slices.ContainsFunc(writesOf(f, w), func(e *effects.Effect) bool {
		return slices.ContainsFunc(e.From, func(s memory.Source) bool {
			return s.File() != nil && memory.SameFile(s.File(), path)
		})
	}) && !slices.ContainsFunc(f.OfKind(effects.Write), func(e *effects.Effect) bool {
		return e.Path != nil && !memory.SameFile(e.Path, path) && e.Data != nil && e.Data.Kind == pathexpr.Content &&
			effects.Reads(e.Data, path) &&
			effects.Reaches(e, w)
	})
}

// writesOf are the effects of a function that write what w does: through its handle, or w where that
// replaces the file.
func writesOf(f *effects.Func, w *effects.Effect) []*effects.Effect {
	if w.Kind == effects.Replace {
		return []*effects.Effect{w}
	}
	return f.OnHandle(w.Handle, effects.Write)
}

// helpsTests reports whether a function is given the test that it works for, or is
// said to serve tests alone.
func (x *Index) helpsTests(fn *ssa.Function) bool {
	fn = memory.Outermost(fn)
	helps, ok := x.helps[fn]
	if !ok {
		helps = helpsTests(fn)
		x.helps[fn] = helps
	}
	return helps
}

func helpsTests(fn *ssa.Function) bool {
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok && testsOnly.MatchString(strings.Join(strings.Fields(decl.Doc.Text()), " ")) {
		return true
	}
	for par := range fn.Signature.Params().Variables() {
		switch types.TypeString(par.Type(), nil) {
		case "*testing.T", "*testing.B", "*testing.F", "testing.TB":
			return true
		}
	}
	return false
}

// testsOnly are words of a comment on what nothing but a test calls.
var testsOnly = pattern.New(
	`(?i)\b(only|solely|exclusively) (used |called |meant |intended |exported )?(for|by|in|from|during|within) (the )?([\w-]+ )?test(s|ing)?\b|\bused (for|by|in) (the )?([\w-]+ )?test(s|ing)? only\b`,
)

// ownRead reports whether the function that makes the write has a helper read
// the file.
func (x *Index) ownRead(w, reader *effects.Effect) bool {
	own := x.p.Of(w.In)
	return reader != nil && own != nil && reader.In != w.In &&
		slices.ContainsFunc(own.Effects, func(e *effects.Effect) bool { return e.Pos == reader.Pos })
}

// trusted finds the test for existence that decides whether the file is
// written at all, or whether another function is content. A helper that answers
// with nothing but an error, or not at all, makes room or refuses to overwrite;
// it trusts nothing.
func (x *Index) trusted(root *effects.Func, w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	for _, e := range root.OfKind(effects.Stat) {
		if e.Foreign == "" && memory.SameFile(e.Path, path) && effects.Before(e, w) &&
			(e.In == w.In || e.In == root.SSA || slice.Answers(e.In.Signature)) &&
			!x.looksInside(e) &&
			!asksMode(e) {
			return e
		}
	}
	for _, alt := range effects.Alternatives(path) {
		if key := alt.PackageKey(); key != "" && x.probed[key] != nil {
			return x.probed[key]
		}
	}
	return nil
}

// looksInside reports whether the function that asks for a file reads it, too.
func (x *Index) looksInside(stat *effects.Effect) bool {
	f := x.p.Of(stat.In)
	if f == nil {
		return false
	}
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool { return e.Kind == effects.Stat && e.Pos == stat.Pos })
	return i >= 0 && slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Read && memory.SameFile(e.Path, f.Effects[i].Path)
	})
}

// asksMode reports whether the mode or the owner of the file is what is asked for: who may read it,
// whether it is a link.
func asksMode(stat *effects.Effect) bool {
	call, ok := stat.Innermost().At.(*ssa.Call)
	if !ok {
		return false
	}
	return slices.ContainsFunc(flow.Uses(call), func(i ssa.Instruction) bool {
		info, ok := i.(*ssa.Extract)
		return ok && info.Index == 0 && slices.ContainsFunc(flow.Uses(info), func(i ssa.Instruction) bool {
			asked, ok := i.(*ssa.Call)
			return ok && asked.Call.IsInvoke() &&
				(asked.Call.Method.Name() == "Sys" || asked.Call.Method.Name() == "Mode" && !askedForKind(asked))
		})
	})
}

// askedForKind reports whether all that is asked of a mode is whether it is of a regular file or of
// a directory.
func askedForKind(mode *ssa.Call) bool {
	uses := flow.Uses(mode)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return !ok || call.Call.StaticCallee() == nil ||
			call.Call.StaticCallee().Name() != "IsRegular" && call.Call.StaticCallee().Name() != "IsDir"
	})
}

// readers finds who decodes and who reads the path: in the function itself by
// the exact term, elsewhere in the package by the abstract one.
// What the writing call of another package reads itself, that package knew.
func (x *Index) readers(root *effects.Func, w *effects.Effect, path *pathexpr.Term) (decoder, reader *effects.Effect) {
	for _, alt := range effects.Alternatives(path) {
		if key := alt.PackageKey(); key != "" {
			decoder, reader = first(
				decoder,
				x.sameFamily(x.decoded[key], root, w, alt),
			), first(
				reader,
				x.sameFamily(x.read[key], root, w, alt),
			)
		}
		for _, e := range root.ReadersOf(alt) {
			if other(e, w) == nil {
				continue
			}
			if reader = first(reader, e); e.Kind == effects.Decode {
				decoder = first(decoder, e)
			}
		}
	}
	return decoder, reader
}

// sameFamily is e, which reads or decodes a file of the family of path, or another effect which does
// so where root has e about another file than w is on: a copy is made of one directory in another.
func (x *Index) sameFamily(e *effects.Effect, root *effects.Func, w *effects.Effect, path *pathexpr.Term) *effects.Effect {
	if other(e, w) == nil || !isOnOther(root, e, path) {
		return other(e, w)
	}
	for _, f := range x.p.Funcs {
		if f == root || x.p.CanCall(f, root) || x.calledOnlyBy(root, f) {
			continue
		}
		for _, o := range f.OfKind(e.Kind) {
			if other(o, w) != nil &&
				slices.ContainsFunc(filesOf(o), func(t *pathexpr.Term) bool { return t.PackageKey() == path.PackageKey() }) {
				return o
			}
		}
	}
	return nil
}

// calledOnlyBy reports whether nobody but root calls f.
func (x *Index) calledOnlyBy(root, f *effects.Func) bool {
	sites := x.p.Callers().Sites(f.SSA)
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(site ssa.CallInstruction) bool { return site.Parent() != root.SSA })
}

// isOnOther reports whether f reads or decodes by e another file than that at path.
func isOnOther(f *effects.Func, e *effects.Effect, path *pathexpr.Term) bool {
	is := false
	for _, o := range f.OfKind(e.Kind) {
		if o.Pos != e.Pos {
			continue
		}
		for _, file := range filesOf(o) {
			if is = pathexpr.OfOthers(file, path); !is {
				return false
			}
		}
	}
	return is
}

// filesOf are the files that are read by a Read, or from which a Decode has what it decodes.
func filesOf(e *effects.Effect) (list []*pathexpr.Term) {
	if e.Kind == effects.Read && e.Path != nil {
		return effects.Alternatives(e.Path)
	}
	e.Data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Content {
			list = append(list, effects.Alternatives(t.Args[0].Path())...)
		}
		return false
	})
	return list
}

// readElsewhere reports whether a function that root does not lead to reads the path,
// nor one that leads to root.
func (x *Index) readElsewhere(root *effects.Func, path *pathexpr.Term) bool {
	key := path.PackageKey()
	return key != "" && slices.ContainsFunc(x.p.Funcs, func(f *effects.Func) bool {
		return f != root && slices.ContainsFunc(f.OfKind(effects.Read), func(e *effects.Effect) bool {
			return e.Path != nil && e.Path.PackageKey() == key
		}) && !x.p.CanCall(root, f) && !x.p.CanCall(f, root)
	})
}

// Reader is where the package reads the path, nil where it does not.
func (x *Index) Reader(root *effects.Func, path *pathexpr.Term) *effects.Effect {
	_, r := x.readers(root, &effects.Effect{}, path)
	return r
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// other is e, unless it happens inside the same call of another package as w.
func other(e, w *effects.Effect) *effects.Effect {
	if e != nil && w.Foreign != "" && e.Pos == w.Pos {
		return nil
	}
	return e
}

// content says what reaches the file: an encoder's output, a copy, a constant.
func (x *Index) content(root *effects.Func, w *effects.Effect, s *features) {
	writes, copies, constants := 0, 0, 0
	see := func(data *pathexpr.Term) {
		writes++
		data = root.MadeBy(data)
		if data != nil && (s.data == nil || data.Has(pathexpr.Made)) {
			s.data = data
		}
		switch {
		case data == nil:
		case memory.Encoder(data) != "":
			if s.encoder == "" {
				s.encoder = memory.Encoder(data)
				s.value = encodedType(data)
			}
		case data.Kind == pathexpr.Content && !memory.SameFile(data.Args[0], w.Path):
			copies++
		case data.Kind == pathexpr.Const || data.Kind == pathexpr.Global:
			constants++
		}
	}
	for _, e := range writesOf(root, w) {
		see(e.Data)
	}
	s.copied = writes > 0 && copies == writes
	s.constant = writes > 0 && constants == writes
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

// EncodedAs says of a content that an encoder made it, and which.
func EncodedAs(codec string) string {
	if format := formats[codec]; format != "" {
		return "its content is encoded as " + format
	}
	return "its content comes from an encoder"
}

// ident is the path as the source spells it, its last name only.
func ident(w *effects.Effect, how WriteContext) string {
	path := how.Target
	if !how.Published && w.Call != nil && len(w.Call.Args) > 0 {
		path = w.Call.Args[0]
	}
	switch a := path.(type) {
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

func (x *Index) isMarked(path *pathexpr.Term, w *effects.Effect) bool {
	if x.opts.State != nil && pathexpr.Matches(path, x.opts.State) {
		return true
	}
	if len(x.marked) == 0 {
		return false
	}
	if obj := memory.Outermost(w.In).Object(); obj != nil && x.marked[objName(obj)] {
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
	}) || x.places[path.PackageKey()]
}

// markedPlaces are the paths that marked accessors and constants yield: neither
// leaves its name in the term of a path.
func (x *Index) markedPlaces() map[string]bool {
	places := map[string]bool{}
	if len(x.marked) == 0 {
		return places
	}
	for _, f := range x.p.Funcs {
		if obj := f.SSA.Object(); obj != nil && x.marked[objName(obj)] && len(f.Results) > 0 {
			if key := f.Results[0].PackageKey(); key != "" {
				places[key] = true
			}
		}
	}
	for _, obj := range x.p.Pass.TypesInfo.Defs {
		if c, ok := obj.(*types.Const); ok && c.Val().Kind() == constant.String && x.marked[objName(c)] {
			places[pathexpr.New(pathexpr.Const, constant.StringVal(c.Val())).Key()] = true
		}
	}
	return places
}

// Generated reports whether pos stands in a file that a program wrote. What cgo makes
// of a file of the user is none.
func (x *Index) Generated(pos token.Pos) bool { return x.generated[x.fileAt(pos)] }

// Editable is the source file around a position if edits can be made there by its positions: not for what
// a program or cgo has made, which is nil.
func (x *Index) Editable(pos token.Pos) *ast.File {
	f := x.fileAt(pos)
	if f == nil || x.generated[f] {
		return nil
	}
	if _, made := cgo.Original(x.p.Pass.Fset, f); made {
		return nil
	}
	return f
}

// fileAt is the file around a position, nil outside of the package.
func (x *Index) fileAt(pos token.Pos) *ast.File {
	i := slices.IndexFunc(x.p.Pass.Files, func(f *ast.File) bool { return f.FileStart <= pos && pos < f.FileEnd })
	if i < 0 {
		return nil
	}
	return x.p.Pass.Files[i]
}
