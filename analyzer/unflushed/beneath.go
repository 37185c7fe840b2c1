package unflushed

import (
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// beneath is the file that a field's buffered writer writes to: another field of
// the same struct. It is nil where that is not known.
func beneath(p *effects.Package, w *pathexpr.Term) *pathexpr.Term {
	if w == nil || w.Kind != pathexpr.Field {
		return nil
	}
	v := p.Writers[w.Type+"."+w.Text]
	if v == nil {
		return nil
	}
	under := p.Term(v).File()
	if p.Term(v).Kind != pathexpr.Wrap {
		return nil
	}
	if f := p.Of(v.Parent()); f != nil && under.Kind == pathexpr.Handle {
		for _, e := range f.Effects {
			if e.Kind == effects.Keep && e.On(under) {
				under = e.Target
			}
		}
	}
	if under.Kind != pathexpr.Field || under.Type != w.Type {
		return nil
	}
	return pathexpr.NewField(w.Args[0], under.Type, under.Text)
}
