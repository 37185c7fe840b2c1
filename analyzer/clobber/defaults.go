package clobber

import (
	"go/ast"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// defaults reports where a function that cannot decode a file saves something else over it, which
// comes from no file. What a function of another package answers may have other reasons.
func (c *checker) defaults(f *effects.Func) {
	var saved map[string][]*effects.Effect // by file
	for _, d := range f.OfKind(effects.Decode) {
		file := failure.File(d)
		if file == nil || d.When != effects.Inline || d.Foreign != "" || d.Here() == nil {
			continue
		}
		if saved == nil {
			saved = inventions(f)
		}
		for _, w := range saved[file.Path().Key()] {
			to, last := f.Saves(w)
			if !c.p.Broken(f, d, last) {
				continue
			}
			l := &loss{Ignored: &failure.Ignored{Failed: d, In: f, Call: d.Here(), Own: true}, file: to, saver: f, write: w, last: last, replaced: true}
			k := c.candidate(l)
			if k.Says(savesDefault, last.Pos, f.Name()+" saves it") &&
				!((cycles.IsCache(to) || c.cached(w)) && k.Says(cache, last.Pos, "it is named as a cache")) {
				c.report(l, k)
			}
			break
		}
	}
}

// inventions are the writes by which a function saves what comes from no file, by the keys of the
// files that they save.
func inventions(f *effects.Func) map[string][]*effects.Effect {
	by := make(map[string][]*effects.Effect)
	for _, w := range f.OfKind(effects.Write, effects.Replace) {
		if to, _ := f.Saves(w); to != nil && w.When == effects.Inline && !fromFile(w) {
			key := to.Path().Key()
			by[key] = append(by[key], w)
		}
	}
	return by
}

// fromFile reports whether what an effect writes comes from a file.
func fromFile(w *effects.Effect) bool {
	return slices.ContainsFunc(w.From, func(s memory.Source) bool { return s.File() != nil })
}

// cached reports whether a function by which another comes to a write is named for a cache.
func (c *checker) cached(w *effects.Effect) bool {
	return slices.ContainsFunc(w.Via, func(call *ast.CallExpr) bool {
		f := c.p.Callee(call)
		return f != nil && lexicon.NamesCache(f.SSA.Name())
	})
}
