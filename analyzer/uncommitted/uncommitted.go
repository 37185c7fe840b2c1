package uncommitted

import (
	_ "embed"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "uncommitted"

// Run reports the pending files that are written and never committed.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	var out []*finding.Finding
	for _, f := range p.Funcs {
		for i := range flow.Instrs(f.SSA) {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			commit := known.Commits(p.CalleeOf(&call.Call))
			if commit == "" {
				continue
			}
			if fd := follow(p, call, commit).judge(f, x.Log()); fd != nil {
				out = append(out, fd)
			}
		}
	}
	return out
}

// judge makes the finding of a pending file, nil where there is none.
func (u *pending) judge(f *effects.Func, log *verdict.Log) *finding.Finding {
	fd := u.finding(f)
	look := log.Candidate(Name, fd.Pos, fd.Func).Is(fd.Variant)
	made := u.create.Pos()
	if !look.Says(neverCommitted, made, "it is made here") ||
		u.committed != nil && look.Says(committed, u.committed.Pos(), "it is committed here") ||
		u.hasOptions() && look.Says(committed, made, "its Close may put it in place") ||
		u.away != nil && look.Says(handedOn, u.away.Pos(), "something else has it") ||
		!slices.ContainsFunc(u.writes, u.endsWell) && look.Says(nothingWritten, made, "behind no write is an end without an error") {
		return nil
	}
	look.Reported = true
	return fd
}

// finding says what becomes of the file, at the call that closes it, or that makes it
// where the function itself does not close it.
func (u *pending) finding(f *effects.Func) *finding.Finding {
	made := u.p.CallAt(u.create.Common().Pos())
	row, _ := known.Lookup(u.p.CalleeOf(&u.create.Call))
	path := u.p.Term(memory.CallArgs(&u.create.Call)[row.A]).Path().Named("its file")
	fd := &finding.Finding{
		Check: Name, Variant: "dropped", Pos: made.Pos(), End: made.End(), Func: f.Name(), Claim: "is written to be saved",
		NoFix: "only its author can say where the content is complete; " + u.commit + " is to be called there",
	}
	fd.Sentence = fmt.Sprintf("%s writes a new content of %s and never calls %s: the old file stays", fd.Func, path, u.commit)
	fd.Evidence = []finding.Evidence{{Pos: made.Pos(), Text: fmt.Sprintf("%s begins a new content of %s", fd.Func, path)}}
	end := "returns, and has not called " + u.commit
	if u.closed != nil {
		at := u.p.CallAt(u.closed.Common().Pos())
		fd.Variant, fd.Pos, fd.End, end = "closed", at.Pos(), at.End(), "closes it, which throws it away"
		fd.Sentence = fmt.Sprintf("%s closes the new content of %s without %s, which throws it away: the old file stays",
			fd.Func, path, u.commit)
		fd.NoFix = "the error of closing it is ignored, and that of " + u.commit + " must be handled"
		if len(flow.Uses(u.closed)) > 0 {
			fd.Remedy, fd.NoFix = finding.CommitFile{Close: at, Commit: u.commit}, ""
		}
	}
	written := fd.Pos
	if len(u.writes) > 0 {
		written = u.writes[0].Pos()
	}
	fd.Schedule = []finding.Step{
		{Actor: "the program", Pos: written, Does: "writes to a temporary file", File: "the old content"},
		{Actor: "the program", Pos: fd.Pos, Does: end, File: "the old content, and so it stays"},
	}
	return fd
}
