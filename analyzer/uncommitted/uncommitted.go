package uncommitted

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "uncommitted"

// Run reports the pending files that are written and never committed.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	var out []*finding.Finding
	for _, f := range p.Funcs {
		for i := range flow.Instrs(f.SSA) {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			fn := p.CalleeOf(&call.Call)
			if commit := known.Commits(fn); commit != "" {
				if fd := judge(x, f, follow(p, call, commit)); fd != nil {
					out = append(out, fd)
				}
			}
		}
	}
	return out
}

// judge makes the finding of a pending file, nil where there is none.
func judge(x *evidence.Index, f *effects.Func, u *pending) *finding.Finding {
	fd := u.finding(f)
	if fd == nil {
		return nil
	}
	look := x.Log().Candidate(Name, fd.Pos, fd.Func).Is(fd.Variant)
	create := u.create.Pos()
	if !look.Says(neverCommitted, create, "it is made here") ||
		u.committed != nil && look.Says(committed, u.committed.Pos(), "it is committed here") ||
		u.replacesOnClose() && look.Says(committed, create, "its Close may put it in place") ||
		u.away != nil && look.Says(handedOn, u.away.Pos(), "something else has it") ||
		len(u.writes) == 0 && look.Says(nothingWritten, create, "nothing is written to it") ||
		!u.endsWell() && look.Says(nothingWritten, create, "each end behind a write is one with an error") {
		return nil
	}
	look.Reported = true
	return fd
}

// finding says what becomes of the file.
func (u *pending) finding(f *effects.Func) *finding.Finding {
	at := u.p.CallAt(u.create.Pos())
	if at == nil {
		return nil
	}
	fd := &finding.Finding{Check: Name, Func: f.Name(), Claim: "is written to be saved"}
	path := u.p.Term(memory.CallArgs(&u.create.Call)[u.row.A]).Path().Named("its file")
	fd.Evidence = []finding.Evidence{{Pos: u.create.Pos(), Text: fmt.Sprintf("%s begins a new content of %s", fd.Func, path)}}
	written := u.create.Pos()
	if len(u.writes) > 0 {
		written = u.writes[0].Pos()
	}
	closed, end := u.closed(), "returns, and has not called "+u.commit
	switch {
	case closed != nil && u.p.CallAt(closed.Pos()) != nil:
		at = u.p.CallAt(closed.Pos())
		fd.Variant = "closed"
		fd.Sentence = fmt.Sprintf(
			"%s closes the new content of %s without %s, which throws it away: the old file stays",
			fd.Func,
			path,
			u.commit,
		)
		end = "closes it, which throws it away"
		if len(flow.Uses(closed)) > 0 {
			fd.Remedy = finding.CommitFile{Close: at, Commit: u.commit}
		} else {
			fd.NoFix = "the error of closing it is ignored, and that of " + u.commit + " must be handled"
		}
	case len(u.escapes) > 0 && u.p.CallAt(u.escapes[0].Pos()) != nil:
		at = u.p.CallAt(u.escapes[0].Pos())
		fd.Variant = "lent"
		fd.Sentence = fmt.Sprintf("%s calls code that writes and closes the new content of %s, and does not call %s: the "+
			"old file stays", fd.Func, path, u.commit)
		fd.NoFix = "the code that writes to the file must not close it; " + u.commit + " must be called after it"
	default:
		fd.Variant = "dropped"
		fd.Sentence = fmt.Sprintf("%s writes a new content of %s and never calls %s: the old file stays", fd.Func, path, u.commit)
		fd.NoFix = "only its author can say where the content is complete; " + u.commit + " is to be called there"
	}
	fd.Pos, fd.End = at.Pos(), at.End()
	fd.Schedule = []finding.Step{
		{Actor: "the program", Pos: written, Does: "writes to a temporary file", File: "the old content"},
		{Actor: "the program", Pos: fd.Pos, Does: end, File: "the old content, and so it stays"},
	}
	return fd
}
