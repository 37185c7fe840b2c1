package latelock

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/gate"
)

// doubleChecks reports where functions look whether something has been made, take a lock only
// if not, and use without the lock what they have seen otherwise.
func doubleChecks(p *effects.Package, x *evidence.Index) (list []*finding.Finding) {
	for _, f := range p.All() {
		body := effects.BodyOf(f.SSA)
		if body == nil {
			continue
		}
		for _, d := range gate.DoubleChecks(p.Pass.TypesInfo, body) {
			k := x.Log().Candidate(Name, d.Look.Pos(), f.Name()).Is("double")
			if !k.Says(checkedTwo, d.Assign.Pos(), "it is assigned to under the lock") || x.Generated(d.Look.Pos()) && k.Says(generated, d.Look.Pos(), "") {
				continue
			}
			k.Reported = true
			lock := types.ExprString(d.Lock.Fun.(*ast.SelectorExpr).X)
			list = append(list, &finding.Finding{
				Check: Name, Variant: "double", Pos: d.Look.Pos(), End: d.Look.End(), Func: f.Name(), Severity: finding.Warning,
				Sentence: fmt.Sprintf("%s looks at %s without %s, under which it is assigned to, and uses what it sees: another goroutine need not see all that has been put there", f.Name(), d.Place, lock),
				Claim:    "is guarded by " + lock,
				Evidence: []finding.Evidence{{Pos: d.Assign.Pos(), Text: f.Name() + " assigns to it under the lock"}},
				Schedule: []finding.Step{
					{Actor: "goroutine A", Pos: d.Assign.Pos(), Does: "assigns to " + d.Place + " under the lock", Memory: "a new value, of which others may see a part"},
					{Actor: "goroutine B", Pos: d.Used.Pos(), Does: "uses " + d.Place + " without the lock", Memory: "what B sees of it"},
				},
				NoFix: "sync.Once, an atomic pointer, or the lock before the first look: which is for you to say",
			})
		}
	}
	return list
}
