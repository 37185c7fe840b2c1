package earlyrelease

import (
	"fmt"
	"go/types"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/gate"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/verdict"
)

// emptySections reports where f releases a mutex as soon as it has it, and then goes on with
// what the mutex is there for.
func (c *checker) emptySections(f *effects.Func) {
	body := effects.BodyOf(f.SSA)
	if body == nil {
		return
	}
	for _, s := range gate.EmptySections(c.p.Pass.TypesInfo, body) {
		lock, used := s.Mutex, s.Used
		fd := &finding.Finding{
			Check: Name, Variant: "empty", Pos: s.Release.Pos(), End: s.Release.End(), Func: f.Name(), Severity: finding.Error,
			Sentence: fmt.Sprintf("%s releases %s as soon as it has it, and goes on without it: is a defer missing?", f.Name(), lock),
			Claim:    "is used behind the release",
			Evidence: []finding.Evidence{{Pos: used.Pos(), Text: "it goes on with " + types.ExprString(used)}},
			Schedule: []finding.Step{
				{Actor: "goroutine A", Pos: s.Release.Pos(), Does: "releases " + lock},
				{Actor: "goroutine B", Pos: s.Acquire.Pos(), Does: "comes here, too"},
				{Actor: "goroutine A", Pos: used.Pos(), Does: "goes on, and so does B at the same time"},
			},
			NoFix: "a defer in front of the release keeps the lock to the end, which must not call what takes it again",
		}
		by := verdict.Reason{Rule: nothingUnder, Pos: used.Pos(), Text: fd.Evidence[0].Text}
		var why []verdict.Reason
		if c.x.CommentAt(s.Acquire.Pos()) != "" && c.stops(&why, saidToWait, s.Acquire.Pos(), "a comment stands there") {
			continue
		}
		if word, _ := lexicon.Lockings.In(f.SSA.Name()); word != "" && c.stops(&why, saidToWait, s.Acquire.Pos(), "the function is named for "+word) {
			continue
		}
		c.add(&candidate{finding: fd, rank: 1, by: []verdict.Reason{by}, why: why})
	}
}
