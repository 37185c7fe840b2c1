// Package state says whether a file holds state, and how likely it is that a maintainer wants a finding about it fixed.
//
// The features of a finding are the rules that spoke for it, and those that say that less is lost; what each is worth is
// not set by hand but fitted to labelled findings of public programs, by tools/learn. What makes a finding untrue is a
// veto, which is neither learned nor outweighed.
package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cgo"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
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
