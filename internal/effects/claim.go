package effects

import (
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Claim gathers what says that the file which made makes is a lock, a pid file
// or another claim, as far as root knows its path: its name, the function that
// makes it together with one that removes it again, the process's own number.
func (x *StateIndex) Claim(root *Func, made *Effect) []finding.Evidence {
	path := madePath(made)
	if path == nil || path.Has(pathexpr.Fresh) || path.Last().Has(pathexpr.Random) || x.Supports(path) {
		return nil
	}
	var ev []finding.Evidence
	if says := pathexpr.Claim(path, ident(made, Manner{})); says != "" {
		ev = append(ev, finding.Evidence{Pos: made.Pos, Text: says})
	}
	if slices.ContainsFunc(root.Effects, func(e *Effect) bool {
		return (e == made || e.Kind == Write && e.On(made.Handle)) && e.Data.Has(pathexpr.Pid)
	}) {
		ev = append(ev, finding.Evidence{Pos: made.Pos, Text: "it holds the number of the process"})
	}
	if name := outermost(made.In).Name(); pathexpr.Acquires(name) {
		if r := x.remover(path, pathexpr.Releases); r != nil {
			ev = append(ev, x.evidence(r, "gives it up again by removing it"))
		} else if len(ev) > 0 {
			ev = append(ev, finding.Evidence{Pos: made.Pos, Text: FuncName(made.In) + " is named as the taking of a lock"})
		}
	}
	return ev
}

// madePath is the file that an effect makes.
func madePath(made *Effect) *pathexpr.Term {
	if made.Kind == Rename || made.Kind == Link {
		return made.Target
	}
	if made.Path == nil {
		return nil
	}
	return made.Path.Path()
}

// remover is where a function of such a name removes the path.
func (x *StateIndex) remover(path *pathexpr.Term, named func(string) bool) *Effect {
	key := path.Abstract()
	if key == "" {
		return nil
	}
	for _, f := range x.p.Funcs {
		if !named(f.SSA.Name()) {
			continue
		}
		for _, e := range f.OfKind(Remove) {
			if e.Path != nil && e.Path.Abstract() == key {
				return e
			}
		}
	}
	return nil
}

// Released reports whether a function that is named as giving something up
// removes the file that made makes.
func (x *StateIndex) Released(made *Effect) bool {
	path := madePath(made)
	return path != nil && x.remover(path, pathexpr.Releases) != nil
}

// TakenAway reports whether a function that is named as ending something removes the
// file: it tells of what runs, and is gone with that.
func (x *StateIndex) TakenAway(path *pathexpr.Term) bool {
	return x.remover(path, pathexpr.Ends) != nil
}

// Supports reports whether the package serves tests, builds or demonstrations, as far as
// it bears on a path: a program that decodes the file is more than its package's name.
func (x *StateIndex) Supports(path *pathexpr.Term) bool {
	return x.serves.Sure || x.serves.Why != "" && !x.decodes(path)
}

// decodes reports whether the package decodes what it reads of a path.
func (x *StateIndex) decodes(path *pathexpr.Term) bool {
	return path != nil && slices.ContainsFunc(alternatives(path), func(alt *pathexpr.Term) bool {
		key := alt.Abstract()
		return key != "" && x.decoded[key] != nil
	})
}
