package earlyrelease

import (
	_ "embed"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "earlyrelease"

// A candidate is one place seen from one function. What is reported of a place
// is the candidate of the highest rank, of those the one that the fewest calls
// lead to.
type candidate struct {
	finding *finding.Finding
	rank    int
	via     int
	by      verdict.Reason   // what speaks for it
	why     []verdict.Reason // what speaks against it
	look    *verdict.Candidate
}

// Run reports the claims of the package that are given up too early.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: p, x: x, guards: indexGuards(p), byPos: map[token.Pos]*candidate{}}
	for _, f := range p.Funcs {
		c.unlink(f)
		c.registry(f)
	}
	var out []*finding.Finding
	for _, pos := range c.order {
		k := c.byPos[pos]
		k.look.Is(k.finding.Variant).Reported = true
		out = append(out, k.finding)
	}
	return out
}

type checker struct {
	p      *effects.Package
	x      *state.Index
	guards guards
	// takings are those of registries, by the name of the registry, once they are
	// asked for.
	takings map[string][]*taking
	order   []token.Pos
	byPos   map[token.Pos]*candidate
}

// add notes a candidate, unless a rule speaks against it or a better one is known of its
// place.
func (c *checker) add(k *candidate) {
	pos := k.finding.Pos
	k.look = c.x.Log().Candidate(Name, pos, k.finding.Func).Is(k.finding.Variant)
	if !k.look.Says(k.by.Rule, k.by.Pos, k.by.Text) {
		return
	}
	silent := false
	for _, r := range k.why {
		silent = k.look.Says(r.Rule, r.Pos, r.Text) || silent
	}
	if silent {
		return
	}
	old := c.byPos[pos]
	if old == nil {
		c.order = append(c.order, pos)
	}
	if old == nil || k.rank > old.rank || k.rank == old.rank && k.via < old.via {
		c.byPos[pos] = k
	}
}

// about is a finding at the call that has an effect.
func about(e *effects.Effect, variant string) *finding.Finding {
	f := &finding.Finding{Check: Name, Variant: variant, Pos: e.Pos, End: e.Pos, Func: memory.FuncName(e.In)}
	if e.Call != nil {
		f.End = e.Call.End()
	}
	return f
}

// named is how a message calls a file.
func named(path *pathexpr.Term) string { return path.Named("its file") }

// find is the first of the effects for which ok holds.
func find(list []*effects.Effect, ok func(*effects.Effect) bool) *effects.Effect {
	if i := slices.IndexFunc(list, ok); i >= 0 {
		return list[i]
	}
	return nil
}
