// Package fixes plans how findings are mended. Package prove says whether the end state
// that a check asks for can be reached, and package rewrite makes it; fixes puts the
// edits of a file together, with those of its imports, and knows nothing of how findings
// are made and nothing of how edits are applied.
//
// A planned fix is right wherever it is applied, also where nothing looks
// again: it compiles, it brings and removes its own imports, it is formatted,
// and it keeps every comment. Any selection of the fixes of a file can be
// applied together, since two edits of a file are either equal or apart.
package fixes

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/fixes/prove"
	"github.com/lockvet/lockvet/internal/finding"
)

// Pass is the package that is mended.
type Pass = prove.Pass

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
		file := fileAt(pass, f.Pos)
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

func fileAt(p Pass, pos token.Pos) *ast.File {
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
	plans := filePlans{parts: src.parts()}
	byPlace := make(map[token.Pos]*plan)
	for _, f := range findings {
		place := f.Remedy.Place()
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
		p, err := src.planned(f.Remedy, src.proofs.Prove)
		if r, ok := f.Remedy.(finding.SpanLock); ok && err == nil && p.nested != nil && plans.overlap(p) {
			p, err = src.planned(r, src.proofs.LockAlone)
		}
		if err == nil && plans.overlap(p) {
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
		plans.add(p)
	}
	src.share(plans.all)
}

// filePlans are the plans of a file, and those of each part of it.
type filePlans struct {
	parts []stretch
	all   []*plan
	of    map[int][]*plan
}

func (ps *filePlans) add(p *plan) {
	if ps.of == nil {
		ps.of = make(map[int][]*plan)
	}
	ps.all = append(ps.all, p)
	for _, n := range ps.touched(p) {
		ps.of[n] = append(ps.of[n], p)
	}
}

// touched lists the parts that a plan edits, once each; -1 stands for what is in none.
func (ps *filePlans) touched(p *plan) []int {
	var touched []int
	note := func(e edit) {
		from, to := partAt(ps.parts, e.start), partAt(ps.parts, e.end)
		if from != to {
			from = -1
		}
		if !slices.Contains(touched, from) {
			touched = append(touched, from)
		}
	}
	for _, e := range p.edits {
		note(e)
	}
	if p.nested != nil {
		note(*p.nested)
	}
	return touched
}

// overlap reports whether a plan cannot stand beside one of those of the file.
func (ps *filePlans) overlap(p *plan) bool {
	touched := ps.touched(p)
	if len(ps.of[-1]) > 0 || slices.Contains(touched, -1) {
		return slices.ContainsFunc(ps.all, p.overlaps)
	}
	return slices.ContainsFunc(touched, func(n int) bool { return slices.ContainsFunc(ps.of[n], p.overlaps) })
}

// planned is the plan of a remedy, which rests on nothing that cgo changed.
func (s *source) planned(r finding.Remedy, prove func(finding.Remedy) (*prove.Proof, error)) (*plan, error) {
	s.made.begin()
	proof, err := prove(r)
	if err != nil {
		return nil, s.made.reason(err)
	}
	changes, err := proof.Edits()
	if err != nil {
		return nil, s.made.reason(err)
	}
	p := &plan{message: proof.Message, also: proof.Also}
	for _, c := range changes {
		p.edits = append(p.edits, edit{c.Start, c.End, s.endedText(c.New), s.tok})
	}
	if proof.From.IsValid() {
		p.nested = &edit{s.offset(proof.From), s.offset(proof.To), "", s.tok}
	}
	return s.checked(p)
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
				p.carry(p.message, textEdits(fixes[i]))
			}
			return
		}
		joint, err = s.finish(all, unused)
	}
	shared := textEdits(joint)
	for _, p := range plans {
		if err != nil {
			p.refuse(err)
			continue
		}
		message := p.message
		if n := len(plans) - 1; n > 0 {
			message = fmt.Sprintf("%s (with %d more of this file)", message, n)
		}
		p.carry(message, shared)
	}
}

// separate finishes each plan alone, and reports whether any selection of the
// results can be applied together. All of them leave some imports unused.
func (s *source) separate(plans []*plan, unused []int) ([][]edit, bool) {
	var fixes [][]edit
	distinct := make(map[edit]bool)
	for _, p := range plans {
		alone, err := s.unusedImports(p.edits)
		if err != nil || !slices.Equal(alone, unused) {
			return nil, false
		}
		fix, err := s.finish(p.edits, unused)
		if err != nil {
			return nil, false
		}
		for _, e := range fix {
			distinct[e] = true
		}
		fixes = append(fixes, fix)
	}
	return fixes, apart(slices.Collect(maps.Keys(distinct)))
}

// apart reports whether edits, each of which is there once, can be applied in any
// order.
func apart(edits []edit) bool {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for i := range edits {
		for j := i + 1; j < len(edits) && edits[j].start <= edits[i].end; j++ {
			if edits[i].touches(edits[j]) {
				return false
			}
		}
	}
	return true
}

// carry gives the fix to every finding of the plan.
func (p *plan) carry(message string, edits []analysis.TextEdit) {
	for _, f := range p.findings {
		f.Fix = &analysis.SuggestedFix{Message: message, TextEdits: edits}
	}
}

// textEdits are the edits as drivers apply them. Those of one fix are made once,
// however many findings carry it.
func textEdits(edits []edit) []analysis.TextEdit {
	var list []analysis.TextEdit
	for _, e := range edits {
		list = append(list, e.textEdit())
	}
	return list[:len(list):len(list)]
}

func (p *plan) refuse(err error) {
	for _, f := range p.findings {
		f.NoFix = err.Error()
	}
}

// A refusal is the reason why a finding has no fix.
type refusal = prove.Refusal
