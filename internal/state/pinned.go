package state

import (
	"go/ast"
	"go/token"
	"path"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
)

// Pinned says why the file that w writes has to stay the one that it is, and where that is seen; empty
// for any other. A bind mount shows the file that was there when it was made, and not the one that a
// rename puts in its place.
func (x *Index) Pinned(w *effects.Effect) (why string, at token.Pos) {
	if slices.ContainsFunc(pathexpr.Constants(w.Path.Last()), func(c string) bool { return path.Base(c) == "resolv.conf" }) {
		return "containers have it mounted", w.Pos
	}
	if m := x.mounted(w); m != nil {
		return "it is mounted here", m.pos
	}
	is, ok := x.pinned[w.Pos]
	if !ok {
		is = x.saidToStay(w)
		x.pinned[w.Pos] = is
	}
	if is {
		return "a comment says that it is written in place on purpose", w.Pos
	}
	return "", w.Pos
}

// saidToStay reports whether a comment says so.
func (x *Index) saidToStay(w *effects.Effect) bool {
	decl, ok := memory.Outermost(w.In).Syntax().(*ast.FuncDecl)
	return ok && pinning.MatchString(decl.Doc.Text()) || pinning.MatchString(x.CommentAt(w.Pos))
}

// pinning are words of a comment on a file that must not be replaced. Bind mounts and
// inodes alone are what a program may keep a list of.
var pinning = pattern.New(`(?i)\bbind[- ]?mounted\b|\b(keep|preserv|retain|maintain|same)\w*\s+(the\s+|its\s+|same\s+)*inode\b`)

// A mount is where a function says that a file is to be mounted.
type mount struct {
	in   *ssa.Function
	pos  token.Pos
	path *pathexpr.Term
}

// mounted is where the package mounts the file that w writes: one of the same family, or of the same
// name where nothing says that the directories are two. It is nil where nothing does.
func (x *Index) mounted(w *effects.Effect) *mount {
	type key struct{}
	mounts := x.p.Derived(key{}, func() any { return x.mounts() }).([]mount)
	i := slices.IndexFunc(mounts, func(m mount) bool {
		return m.in == w.In && len(w.Via) == 0 && memory.SameFile(m.path, w.Path) ||
			m.path.MayBe(w.Path) || pathexpr.Namesakes(m.path, w.Path)
	})
	if i < 0 {
		return nil
	}
	return &mounts[i]
}

// mounts are what the package gives mounts as their source, in terms of who does and of who calls that.
func (x *Index) mounts() (list []mount) {
	for _, fn := range x.p.SourceFuncs() {
		for i := range flow.Instrs(fn) {
			source := x.mountSource(i)
			if source == nil {
				continue
			}
			list = append(list, sources(fn, i.Pos(), source)...)
			for _, site := range x.p.Callers().Sites(fn) {
				args := x.p.ArgTerms(memory.CallArgs(site.Common()))
				list = append(list, sources(site.Parent(), i.Pos(), x.p.Lower(source, args))...)
			}
		}
	}
	return list
}

// mountSource is what an instruction says is to be mounted, nil for nothing.
func (x *Index) mountSource(i ssa.Instruction) *pathexpr.Term {
	switch i := i.(type) {
	case *ssa.Store:
		if fa, ok := i.Addr.(*ssa.FieldAddr); ok && known.Mounts(fa.X.Type()) == memory.StructOf(fa.X.Type()).Field(fa.Field) {
			return x.p.Term(i.Val)
		}
	case *ssa.Call:
		if row, _ := known.Lookup(x.p.CalleeOf(&i.Call)); row.Op == known.Mount {
			return x.p.Term(i.Call.Args[row.A])
		}
	}
	return nil
}

// sources are the files that a source names, or those of a list of "source:target".
func sources(in *ssa.Function, pos token.Pos, t *pathexpr.Term) (list []mount) {
	binds := []*pathexpr.Term{t}
	if t.Kind == pathexpr.List {
		binds = nil
		for _, b := range t.Args {
			if source := b.Before(":"); source != nil {
				binds = append(binds, source)
			}
		}
	}
	for _, b := range binds {
		for _, alt := range effects.Alternatives(b) {
			list = append(list, mount{in, pos, alt})
		}
	}
	return list
}
