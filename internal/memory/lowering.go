package memory

import (
	"slices"

	"github.com/lockvet/lockvet/internal/pathexpr"
)

func newLowering() lowering {
	return lowering{map[*pathexpr.Term]*lowered{}, map[[2]*pathexpr.Term]*pathexpr.Term{}, map[shape]*pathexpr.Term{}}
}

// Lower restates a term of a callee or of a literal in terms of its caller.
func (p *Values) Lower(t *pathexpr.Term, args []*pathexpr.Term) *pathexpr.Term {
	switch {
	case !t.Has(pathexpr.Param):
		return t
	case t.Kind == pathexpr.Param:
		return p.lowerParam(t, args)
	}
	l := p.lowering.terms[t]
	if l == nil {
		l = &lowered{params: parameters(t)}
		p.lowering.terms[t] = l
	}
	if len(l.params) > 2 {
		return p.lowerParts(t, args)
	}
	var of [2]*pathexpr.Term
	for i, param := range l.params {
		if param < len(args) {
			of[i] = args[param]
		}
	}
	r := l.by[of]
	if r == nil {
		if l.by == nil {
			l.by = map[[2]*pathexpr.Term]*pathexpr.Term{}
		}
		r = p.lowerParts(t, args)
		l.by[of] = r
	}
	return r
}

// parameters are the parameters of its own function that a term has.
func parameters(t *pathexpr.Term) (list []int) {
	t.Map(func(x *pathexpr.Term) *pathexpr.Term {
		if x.Index < Outer && !slices.Contains(list, x.Index) {
			list = append(list, x.Index)
		}
		return nil
	}, pathexpr.Param)
	return list
}

func (p *Values) lowerParts(t *pathexpr.Term, args []*pathexpr.Term) *pathexpr.Term {
	return p.intern(t.MapArgs(func(a *pathexpr.Term) *pathexpr.Term { return p.Lower(a, args) }))
}

func (p *Values) lowerParam(t *pathexpr.Term, args []*pathexpr.Term) *pathexpr.Term {
	switch {
	case t.Index >= Outer:
		return p.intern(pathexpr.NewParam(t.Index-Outer, t.Text, t.Type))
	case t.Index >= len(args) || args[t.Index] == nil:
		return t
	case t.Loose:
		return args[t.Index].Loosened()
	}
	return args[t.Index]
}

// lowerPlace is memory in a parameter of a callee, where that is the memory arg.
func (p *Values) lowerPlace(m, arg *pathexpr.Term) *pathexpr.Term {
	if m.Kind == pathexpr.Param {
		return arg
	}
	at := [2]*pathexpr.Term{m, arg}
	r := p.lowering.places[at]
	if r == nil {
		r = p.intern(m.MapArgs(func(a *pathexpr.Term) *pathexpr.Term {
			if !a.Has(pathexpr.Param) {
				return a
			}
			return p.lowerPlace(a, arg)
		}))
		p.lowering.places[at] = r
	}
	return r
}

// intern is the first term that was made of the same as t.
func (p *Values) intern(t *pathexpr.Term) *pathexpr.Term {
	switch {
	case t == nil || len(t.Args) > len(shape{}.args):
		return t
	case t.Kind == pathexpr.Const || t.Kind == pathexpr.Unknown:
		return t // no two are made of the same, or nobody has many
	}
	s := shape{kind: t.Kind, loose: t.Loose, index: t.Index, text: t.Text, typ: t.Type}
	copy(s.args[:], t.Args)
	first := p.lowering.first[s]
	if first == nil {
		p.lowering.first[s], first = t, t
	}
	return first
}
