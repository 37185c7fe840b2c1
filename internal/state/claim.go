package state

import (
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Claim gathers what says that the file which made makes is a lock, a pid file
// or another claim, as far as root knows its path: its name, the process's own number.
func (x *Index) Claim(root *effects.Func, made *effects.Effect) []finding.Evidence {
	path := effects.MadePath(made)
	if path == nil || path.Has(pathexpr.Fresh) || path.Last().Has(pathexpr.Random) || x.Supports(path) {
		return nil
	}
	var ev []finding.Evidence
	if says := Claim(path, ident(made, WriteContext{})); says != "" {
		ev = append(ev, finding.Evidence{Pos: made.Pos, Text: says})
	}
	if x.HoldsPid(root, made) {
		ev = append(ev, finding.Evidence{Pos: made.Pos, Text: "it holds the number of the process"})
	}
	if len(ev) > 0 && lexicon.Acquires(memory.Outermost(made.In).Name()) {
		ev = append(ev, finding.Evidence{Pos: made.Pos, Text: memory.FuncName(made.In) + " is named as the taking of a lock"})
	}
	return ev
}

// HoldsPid reports whether the number of the process is written to the file that made makes.
func (x *Index) HoldsPid(root *effects.Func, made *effects.Effect) bool {
	isPid := func(e *effects.Effect) bool { return e.Data.Has(pathexpr.Pid) || x.encodesPid(e) }
	return isPid(made) || slices.ContainsFunc(root.OnHandle(made.Handle, effects.Write), isPid)
}

// encodesPid reports whether what e writes is encoded from an object of its function that has
// the number of the process in a field.
func (x *Index) encodesPid(e *effects.Effect) bool {
	if !e.Data.Has(pathexpr.Encoded) {
		return false
	}
	is, ok := x.pids[e.In]
	if !ok {
		is = x.encodesOwnerOfPid(e.In)
		x.pids[e.In] = is
	}
	return is
}

// encodesOwnerOfPid reports whether a function makes an interface, which it may encode, of an
// object to a field of which, or of a part of which, it gives the number of the process.
func (x *Index) encodesOwnerOfPid(fn *ssa.Function) bool {
	var owners, encoded []types.Type
	for i := range flow.Instrs(fn) {
		switch i := i.(type) {
		case *ssa.Store:
			if field, ok := i.Addr.(*ssa.FieldAddr); ok && x.p.Term(i.Val).Has(pathexpr.Pid) {
				owners = append(owners, known.Pointee(field.X.Type()))
			}
		case *ssa.MakeInterface:
			encoded = append(encoded, i.X.Type())
		}
	}
	return slices.ContainsFunc(owners, func(owner types.Type) bool {
		return slices.ContainsFunc(encoded, func(t types.Type) bool { return holdsType(t, owner, maxNested) })
	})
}

// maxNested bounds how deep in what is encoded the number of the process may be.
const maxNested = 3

// holdsType reports whether a value of type t, or what it points to, is or has one of another
// type.
func holdsType(t, part types.Type, depth int) bool {
	t = known.Pointee(t)
	if types.Identical(t, part) {
		return true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return false
	}
	for field := range st.Fields() {
		if holdsType(field.Type(), part, depth-1) {
			return true
		}
	}
	return false
}

// Supports reports whether the package serves tests, builds or demonstrations, as far as
// it bears on a path: a program that decodes the file is more than its package's name.
func (x *Index) Supports(path *pathexpr.Term) bool {
	return x.serves.Sure || x.serves.Why != "" && !x.decodes(path)
}

// decodes reports whether the package decodes what it reads of a path.
func (x *Index) decodes(path *pathexpr.Term) bool {
	return path != nil && slices.ContainsFunc(effects.Alternatives(path), func(alt *pathexpr.Term) bool {
		key := alt.PackageKey()
		return key != "" && x.decoded[key] != nil
	})
}

// claimWords are the words of files that one process makes to keep others out.
var claimWords = lexicon.SetOf("lock lck lockfile pid pidfile claim lease reservation cid cidfile semaphore mutex singleton")

// dependencies are lock files of another kind: they pin versions.
var dependencies = lexicon.SetOf("package chart gemfile yarn cargo composer poetry flake deps dependency modules " +
	"gopkg requirement version terraform")

// Claim is the sentence about the name that says that a file is a lock, a pid
// file or another claim, empty where none does. ident is the path as the source
// spells it.
func Claim(p *pathexpr.Term, ident string) string {
	if p == nil {
		return ""
	}
	last := p.Last()
	for _, c := range pathexpr.Constants(last) {
		ext := strings.TrimPrefix(path.Ext(c), ".")
		if claimWords[ext] && !pins(c) {
			return "the file is named " + quote(around(c, p))
		}
	}
	for _, n := range append(append(pathexpr.Names(last), pathexpr.Constants(last)...), ident, asked(last)) {
		if w, _ := claimWords.In(n); w != "" && !pins(n) {
			return "the path is named " + quote(around(n, p))
		}
	}
	return ""
}

// asked is the name of the flag in which the user gives the path.
func asked(p *pathexpr.Term) (flag string) {
	p.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Input {
			flag = t.Text
		}
		return flag != ""
	})
	return flag
}

func pins(name string) bool {
	return slices.ContainsFunc(
		lexicon.Words(name),
		func(w string) bool { return dependencies[w] || dependencies[strings.TrimSuffix(w, "s")] },
	)
}
