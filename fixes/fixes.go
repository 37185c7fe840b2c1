// Package fixes plans how findings are fixed. Package prove says whether the end state
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
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/fixes/prove"
	"github.com/lockvet/lockvet/internal/finding"
)

// Pass is the package that is fixed.
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
	var planned []*filePlans
	for _, file := range files {
		if ps := planFile(pass, file, byFile[file]); ps != nil {
			planned = append(planned, ps)
		}
	}
	for _, ps := range planned {
		ps.src.share(ps.all)
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

// A plan is the fix of one remedy: the edits of the function's text, before
// formatting and without those of the imports.
type plan struct {
	message  string
	edits    []edit
	findings []*finding.Finding
	// places are what the plan is the fix of.
	places []token.Pos
	// temp is the end of the name of a temporary file that is no longer made.
	temp string
	// leaves says that a file stays which is removed, doubt what somebody has to decide.
	leaves bool
	doubt  string
}

// planFile plans the edits of one file together; nil where it cannot be read.
func planFile(pass Pass, file *ast.File, findings []*finding.Finding) *filePlans {
	src, err := load(pass, file)
	if err != nil {
		for _, f := range findings {
			f.NoFix = err.Error()
		}
		return nil
	}
	plans := &filePlans{src: src}
	byPlace := make(map[spot]*plan)
	for _, f := range findings {
		place := spotOf(f.Remedy)
		if !place.at.IsValid() {
			f.NoFix = "no call of this package could be changed to fix it"
			continue
		}
		p := byPlace[place]
		if p != nil {
			p.findings = append(p.findings, f)
			continue
		}
		p, err := plans.plan(f.Remedy)
		if err == nil && plans.overlap(p) {
			err = refusal("its edit overlaps that of another finding")
		}
		if err == nil && len(f.Heard) > 0 {
			err = refusal("functions of other packages may call " + f.Func + ", and use what it yields where there is an error")
		}
		if err != nil {
			f.NoFix = err.Error()
			continue
		}
		p.findings = []*finding.Finding{f}
		for _, at := range p.places {
			byPlace[spot{at, place.about}] = p
		}
		plans.all = append(plans.all, p)
	}
	return plans
}

// A spot is a place at which findings have one fix. What is done about the error of a call there,
// and a lock in front of it, are fixes apart from those of the call: they leave it as it is.
type spot struct {
	at    token.Pos
	about aspect
}

// An aspect is what of a call a fix changes.
type aspect int

const (
	itself aspect = iota
	itsError
	itsLock
)

func spotOf(r finding.Remedy) spot {
	about := itself
	switch r.(type) {
	case finding.SurfaceError:
		about = itsError
	case finding.SpanLock:
		about = itsLock
	}
	return spot{r.Place(), about}
}

// filePlans are the plans of a file.
type filePlans struct {
	src *source
	all []*plan
}

// mostLocks are the places that take the lock of a file by themselves.
const mostLocks = 2

// plan is the plan of a remedy, with all that has to be fixed with it.
func (ps *filePlans) plan(r finding.Remedy) (*plan, error) {
	lock, ok := r.(finding.SpanLock)
	if !ok {
		return ps.src.planned(r)
	}
	all, err := ps.src.planned(lock)
	if err != nil {
		return nil, err
	}
	others := slices.SortedStableFunc(slices.Values(lock.With), func(a, b finding.Saver) int { return strings.Compare(a.Func, b.Func) })
	for _, other := range others {
		p, err := ps.saver(other, all)
		if err != nil {
			return nil, refusal(fmt.Sprintf("%s saves the file, too, at %s, and would not have the lock: %v", other.Func,
				finding.At(ps.src.pass.Fset, other.Pos), err))
		}
		all.edits, all.places = append(all.edits, p.edits...), append(all.places, p.places...)
	}
	if n := len(lock.With) + 1; n > mostLocks {
		return nil, refusal(fmt.Sprintf("%d places save the file, and the same lines would stand at each: have them "+
			"hand their change to one function that loads, changes and saves it under a lock", n))
	}
	if len(lock.With) > 0 {
		all.message = fmt.Sprintf("%s, at all %d places that save the file", all.message, len(lock.With)+1)
	}
	return all, nil
}

// saver is the plan of the lock of what else saves a file.
func (ps *filePlans) saver(other finding.Saver, beside *plan) (*plan, error) {
	if other.NoLock != "" {
		return nil, refusal(other.NoLock)
	}
	if fileAt(ps.src.pass, other.Lock.Place()) != ps.src.file {
		return nil, refusal("it stands in another source file, and a fix is of one")
	}
	p, err := ps.src.planned(other.Lock)
	if err == nil && beside.overlaps(p) {
		err = refusal("its edit overlaps that of another")
	}
	return p, err
}

// overlap reports whether a plan cannot stand beside one of those of the file.
func (ps *filePlans) overlap(p *plan) bool { return slices.ContainsFunc(ps.all, p.overlaps) }

// planned is the plan of a remedy.
func (s *source) planned(r finding.Remedy) (*plan, error) {
	proof, err := s.proofs.Prove(r)
	if err != nil {
		return nil, err
	}
	changes, err := proof.Edits()
	if err != nil {
		return nil, err
	}
	p := &plan{message: proof.Message, places: []token.Pos{r.Place()}, temp: proof.Temp, leaves: proof.Leaves,
		doubt: proof.Doubt}
	for _, c := range changes {
		p.edits = append(p.edits, edit{c.Start, c.End, s.endedText(c.New), s.tok})
	}
	return p, nil
}

func (p *plan) overlaps(q *plan) bool {
	return overlapping(p.edits, q.edits)
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
	var all []edit
	for _, p := range plans {
		all = append(all, p.edits...)
	}
	unused, err := s.unusedImports(all)
	var joint []edit
	if err == nil {
		if fixes, ok := s.separate(plans, unused); ok {
			for i, p := range plans {
				p.carry(p.message, textEdits(fixes[i]), p)
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
			more := "fixes"
			if n == 1 {
				more = "fix"
			}
			message = fmt.Sprintf("%s (with %d more %s in this file)", message, n, more)
		}
		p.carry(message, shared, plans...)
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

// carry gives the fix, which is made of plans, to every finding of the plan.
func (p *plan) carry(message string, edits []analysis.TextEdit, made ...*plan) {
	var temps []finding.Temp
	leaves, doubt := false, ""
	for _, m := range made {
		leaves, doubt = leaves || m.leaves, cmp.Or(doubt, m.doubt)
		for _, f := range m.findings {
			doubt = cmp.Or(doubt, f.Doubt)
		}
		if m.temp != "" {
			temps = append(temps, finding.Temp{Func: m.findings[0].Func, Name: m.temp})
		}
	}
	for _, f := range p.findings {
		_, f.Locks = f.Remedy.(finding.SpanLock)
		f.Temps, f.Leaves, f.Doubt = temps, leaves, cmp.Or(f.Doubt, doubt)
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
