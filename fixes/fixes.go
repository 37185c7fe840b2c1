// Package fixes knows how a finding is mended: it proves on syntax and types
// that the end state which a check asks for can be reached, and plans the text
// edits that reach it, or says why there are none. It knows nothing of how
// findings are made and nothing of how edits are applied.
//
// A planned fix is right wherever it is applied, also where nothing looks
// again: it compiles, it brings and removes its own imports, it is formatted,
// and it keeps every comment. Any selection of the fixes of a file can be
// applied together, since two edits of a file are either equal or apart.
package fixes

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/finding"
)

// Pass is the package that is mended.
type Pass struct {
	Fset  *token.FileSet
	Pkg   *types.Package
	Info  *types.Info
	Files []*ast.File
	// ReadFile gives the source text that Files were parsed from, and of those that
	// cgo made, the source, too.
	ReadFile func(string) ([]byte, error)
	// SafeioPath is the import path of package safeio in mended code.
	SafeioPath string
}

// Plan sets Fix or NoFix on every finding of the package that has a remedy.
// Findings without a remedy are left as they are.
func Plan(pass Pass, findings []*finding.Finding) {
	byFile := make(map[*ast.File][]*finding.Finding)
	var files []*ast.File
	for _, f := range findings {
		if f.Remedy == nil {
			continue
		}
		f.Fix, f.NoFix = nil, ""
		file := pass.fileOf(f.Pos)
		if file == nil {
			f.NoFix = "its source file is not part of the package"
			continue
		}
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], f)
	}
	for _, file := range files {
		planFile(pass, file, byFile[file])
	}
}

func (p Pass) fileOf(pos token.Pos) *ast.File {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// A plan is the mend of one remedy: the edits of the function's text, before
// formatting and without those of the imports.
type plan struct {
	message  string
	edits    []edit
	findings []*finding.Finding
	// also is a second place that the plan is the mend of, if it is valid.
	also token.Pos
	// nested is the text that comes to stand in a function literal, where nothing
	// else can be mended by the same edits; nil for none.
	nested *edit
}

// planFile plans the edits of one file together.
func planFile(pass Pass, file *ast.File, findings []*finding.Finding) {
	src, err := load(pass, file)
	if err != nil {
		for _, f := range findings {
			f.NoFix = err.Error()
		}
		return
	}
	var plans []*plan
	byPlace := make(map[token.Pos]*plan)
	for _, f := range findings {
		place := placeOf(f.Remedy)
		if !place.IsValid() {
			f.NoFix = "no call of this package could be changed to mend it"
			continue
		}
		p := byPlace[place]
		if r, ok := f.Remedy.(finding.UnlockLast); ok && r.Open != nil {
			p = byPlace[r.Open.Pos()] // its mend is that of the file
		}
		if p != nil {
			p.findings = append(p.findings, f)
			continue
		}
		p, err := src.planned(f.Remedy)
		if r, ok := f.Remedy.(finding.SpanLock); ok && err == nil && p.nested != nil && slices.ContainsFunc(plans, p.overlaps) {
			p, err = src.checked(src.spanAlone(r))
		}
		if err == nil && slices.ContainsFunc(plans, p.overlaps) {
			err = refusal("its edit overlaps that of another finding")
		}
		if err != nil {
			f.NoFix = err.Error()
			continue
		}
		p.findings = []*finding.Finding{f}
		byPlace[place] = p
		if p.also.IsValid() {
			byPlace[p.also] = p
		}
		plans = append(plans, p)
	}
	src.share(plans)
}

// placeOf is the call or statement that a remedy is about: two findings about
// one share one fix.
func placeOf(r finding.Remedy) token.Pos {
	var call *ast.CallExpr
	switch r := r.(type) {
	case finding.ReplaceCall:
		call = r.Call
	case finding.PublishHandle:
		call = r.Open
	case finding.CollapseTemp:
		call = r.Open
	case finding.CutLocked:
		call = r.Open
	case finding.UnlockLast:
		call = r.Unlock
	case finding.FlushFirst:
		call = r.Flush
	case finding.SpanLock:
		call = r.Load
	case finding.LockEarlier:
		call = r.Save
	case finding.MoveInside:
		return r.Lock
	case finding.UnlockBehind:
		return r.Unlock
	case finding.LockToWrite:
		return r.Lock
	case finding.LookAgain:
		return r.Enter
	case finding.HoldOn:
		call = r.Lock
	case finding.DropRemoval:
		call = r.Call
	case finding.ReleaseLast:
		return r.Release.Pos()
	case finding.DeferLater:
		call = r.Call
	case finding.MakeExclusive:
		call = r.Open
	case finding.HoldLock:
		call = r.Make
	case finding.KeepLock:
		call = r.Lock
	case finding.CommitFile:
		call = r.Close
	case finding.CloseOnExec:
		call = r.Open
	case finding.CheckError:
		call = r.Call
	case finding.OneWrite:
		call = r.Writes[0]
	case finding.Unbuffer:
		call = r.Writes[0]
	case finding.SurfaceError:
		call = r.Call
	}
	if call == nil {
		return token.NoPos
	}
	return call.Pos()
}

// planned is the plan of a remedy, which rests on nothing that cgo changed.
func (s *source) planned(r finding.Remedy) (*plan, error) {
	s.made.begin()
	return s.checked(s.plan(r))
}

// plan finds the mend of one remedy.
func (s *source) plan(r finding.Remedy) (*plan, error) {
	switch r := r.(type) {
	case finding.ReplaceCall:
		return s.replaceCall(r)
	case finding.PublishHandle:
		return s.publishHandle(r)
	case finding.CollapseTemp:
		return s.collapseTemp(r)
	case finding.SpanLock:
		return s.spanLock(r)
	case finding.LockEarlier:
		return s.lockEarlier(r)
	case finding.MoveInside:
		return s.moveInside(r)
	case finding.UnlockBehind:
		return s.unlockBehind(r)
	case finding.HoldOn:
		return s.holdOn(r)
	case finding.CutLocked:
		return s.cutLocked(r)
	case finding.UnlockLast:
		return s.unlockLast(r)
	case finding.FlushFirst:
		return s.flushFirst(r)
	case finding.DropRemoval:
		return s.dropRemoval(r)
	case finding.ReleaseLast:
		return s.releaseLast(r)
	case finding.DeferLater:
		return s.deferLater(r)
	case finding.MakeExclusive:
		return s.makeExclusive(r)
	case finding.LockToWrite:
		return s.lockToWrite(r)
	case finding.LookAgain:
		return s.lookAgain(r)
	case finding.HoldLock:
		return s.holdLock(r)
	case finding.KeepLock:
		return s.keepLock(r)
	case finding.CommitFile:
		return s.commitFile(r)
	case finding.CloseOnExec:
		return s.closeOnExec(r)
	case finding.CheckError:
		return s.checkError(r)
	case finding.OneWrite:
		return s.oneWrite(r)
	case finding.Unbuffer:
		return s.unbuffer(r)
	case finding.SurfaceError:
		return s.surfaceError(r)
	}
	return nil, refusal("no edit is known for it")
}

func (p *plan) overlaps(q *plan) bool {
	return overlapping(p.edits, q.edits) || p.nests(q) || q.nests(p)
}

// nests reports whether q edits what p puts into a function literal.
func (p *plan) nests(q *plan) bool {
	return p.nested != nil && slices.ContainsFunc(q.edits, p.nested.touches)
}

// share turns plans into fixes.
//
// Each plan becomes a fix of its own as long as all of them change the imports
// alike. Where they do not – two fixes that only together take away the last
// use of "os", say – no fix of one finding could be right both alone and
// beside the others: then every finding carries the edits of all.
func (s *source) share(plans []*plan) {
	if len(plans) == 0 {
		return
	}
	s.made.begin()
	var all []edit
	for _, p := range plans {
		all = append(all, p.edits...)
	}
	unused, err := s.unusedImports(all)
	var joint []edit
	if err == nil {
		if fixes, ok := s.separate(plans, unused); ok {
			for i, p := range plans {
				p.carry(p.message, fixes[i])
			}
			return
		}
		joint, err = s.finish(all, unused)
	}
	for _, p := range plans {
		if err != nil {
			p.refuse(err)
			continue
		}
		message := p.message
		if n := len(plans) - 1; n > 0 {
			message = fmt.Sprintf("%s (with %d more of this file)", message, n)
		}
		p.carry(message, joint)
	}
}

// separate finishes each plan alone, and reports whether any selection of the
// results can be applied together. All of them leave some imports unused.
func (s *source) separate(plans []*plan, unused []int) ([][]edit, bool) {
	var fixes [][]edit
	for _, p := range plans {
		alone, err := s.unusedImports(p.edits)
		if err != nil || !slices.Equal(alone, unused) {
			return nil, false
		}
		fix, err := s.finish(p.edits, unused)
		if err != nil {
			return nil, false
		}
		for _, other := range fixes {
			if overlapping(fix, other) {
				return nil, false
			}
		}
		fixes = append(fixes, fix)
	}
	return fixes, true
}

// carry gives the fix to every finding of the plan.
func (p *plan) carry(message string, edits []edit) {
	for _, f := range p.findings {
		fix := &analysis.SuggestedFix{Message: message}
		for _, e := range edits {
			fix.TextEdits = append(fix.TextEdits, e.textEdit())
		}
		f.Fix = fix
	}
}

func (p *plan) refuse(err error) {
	for _, f := range p.findings {
		f.NoFix = err.Error()
	}
}

// A refusal is the reason why a finding has no fix.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error {
	return refusal(fmt.Sprintf(format, args...))
}
