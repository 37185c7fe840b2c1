package tornappend

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// An opener is a call that opens a file which is put into a field, and the
// function that puts it there.
type opener struct {
	Func *effects.Func
	Open *effects.Effect
}

// openers lists the calls that open the file in the field h, wherever the package
// puts one there; none where one of them is not known.
func openers(p *effects.Package, h *pathexpr.Term) []opener {
	if h.Kind != pathexpr.Field {
		return nil
	}
	var list []opener
	for _, f := range p.Funcs {
		for _, k := range f.Effects {
			if k.Kind != effects.StoreHandle || len(k.Via) > 0 || k.Target.Type != h.Type || k.Target.Text != h.Text {
				continue
			}
			i := slices.IndexFunc(f.Effects, func(o *effects.Effect) bool { return o.ReturnsHandle && o.On(k.Handle) })
			if i < 0 {
				return nil
			}
			list = append(list, opener{f, f.Effects[i]})
		}
	}
	if len(list) != puts(p, h) {
		return nil
	}
	return list
}

// puts counts the places that put something into a field of a type of the package.
func puts(p *effects.Package, h *pathexpr.Term) int {
	tn, ok := p.Pass.Pkg.Scope().Lookup(strings.TrimPrefix(h.Type, p.Pass.Pkg.Path()+".")).(*types.TypeName)
	if !ok || memory.StructOf(tn.Type()) == nil {
		return 0
	}
	for v := range memory.StructOf(tn.Type()).Fields() {
		if v.Name() == h.Text {
			return p.Assigned(v)
		}
	}
	return 0
}

// repeats reports whether a run of the function can come to e more than once for
// one file that open opens.
func repeats(p *effects.Package, open, e *effects.Effect) bool {
	if open.At == nil || e.At == nil || open.At == e.At {
		return false
	}
	at, past := e.At.Block(), open.At.Block()
	return flow.Search{ToEnd: true, Block: func(b *ssa.BasicBlock) flow.Step {
		switch b {
		case past:
			return flow.Stop
		case at:
			return flow.Found
		}
		return flow.Go
	}}.After(p.Flow, e.At)
}
