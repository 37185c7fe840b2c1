package clobber

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
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
const Name = "clobber"

// A loss is a failure to load that is lost, and the function that saves over what
// could not be loaded.
type loss struct {
	*failure.Ignored
	saver *effects.Func
	put        // of saver
	anew  bool // saver saves a new value because it has failed to load
}

type checker struct {
	p    *failure.Package
	x    *state.Index
	said map[token.Pos]bool
	out  []*finding.Finding

	// offered are the remedies that callers in other packages have a say in.
	offered []*finding.Finding
}

// Run reports where a file that cannot be loaded is taken for empty and saved.
func Run(p *effects.Package, x *state.Index) []*finding.Finding { return visited(p, x).out }

// visited is the one checker of a package, which has visited all its functions.
func visited(p *effects.Package, x *state.Index) *checker {
	return p.Derived(visit{x}, func() any { return newChecker(p, x) }).(*checker)
}

type visit struct{ x *state.Index }

func newChecker(p *effects.Package, x *state.Index) *checker {
	c := &checker{p: failure.Of(p), x: x, said: map[token.Pos]bool{}}
	for _, f := range p.Funcs {
		for _, cy := range cycles.Of(p, f) {
			c.visit(f, cy)
		}
	}
	for _, f := range p.Funcs {
		c.makeAnew(f)
		for _, e := range f.OfKind(effects.Decode) {
			for _, s := range c.p.IgnoredLoad(f, e) {
				if saver, how := saving(c.p, f, e); saver != nil {
					c.lost(&loss{Ignored: s, saver: saver, put: how}, savedLater, saver.Name()+" saves it")
				}
			}
		}
	}
	return c
}

// candidate is a loss as a candidate of the check.
func (c *checker) candidate(l *loss) *verdict.Candidate {
	return c.x.Log().Candidate(Name, l.Pos(), l.In.Name()).Is(l.variant())
}

// visit reports where a failure to load the file of a cycle is lost on the way to its save.
func (c *checker) visit(f *effects.Func, cy cycles.Cycle) {
	spoke := c.excuses(cy, f)
	if len(spoke) > 0 && !c.x.Log().Keeps() {
		return
	}
	for _, s := range c.p.IgnoredBefore(f, cy) {
		l := &loss{Ignored: s, saver: f, put: put{cy.File, cy.Write, cy.Last()}}
		k := c.candidate(l)
		for _, r := range spoke {
			k.Says(r.Rule, cy.Read.Pos, r.text)
		}
		if k.Says(goesOn, l.last.Pos, f.Name()+" saves it") && len(spoke) == 0 {
			c.report(l, k)
		}
	}
}

// makeAnew reports where f saves a new value in the place of a file because it cannot decode
// it.
func (c *checker) makeAnew(f *effects.Func) {
	decodes := f.OfKind(effects.Decode)
	if len(decodes) == 0 {
		return
	}
	puts := putsOf(f)
	for _, decode := range decodes {
		file := failure.File(decode)
		if file == nil || decode.Data.Has(pathexpr.Elem) {
			continue
		}
		var writes []*effects.Effect
		for _, w := range puts {
			if memory.SameFile(w.file, file) {
				writes = append(writes, w.last)
			}
		}
		last, s := c.p.MakesAnew(f, decode, writes)
		if s == nil {
			continue
		}
		w := puts[slices.IndexFunc(puts, func(w put) bool { return w.last == last })]
		c.lost(&loss{Ignored: s, saver: f, put: w, anew: true}, anew, f.Name()+" makes it anew")
	}
}

// lost reports a loss of which a rule speaks, unless it is that of a cache.
func (c *checker) lost(l *loss, r *verdict.Rule, why string) {
	k := c.candidate(l)
	if k.Says(r, l.last.Pos, why) && !(cycles.IsCache(l.file) && k.Says(cache, l.last.Pos, "it is named as a cache")) {
		c.report(l, k)
	}
}

// An excuse is a rule that speaks against all losses of a cycle.
type excuse struct {
	*verdict.Rule
	text  string // what it sees
	holds func() bool
}

// excuses are the rules that speak against all losses of a cycle of f: the first, or all
// where they are noted.
func (c *checker) excuses(cy cycles.Cycle, f *effects.Func) []excuse {
	var spoke []excuse
	for _, r := range []excuse{
		{cache, "it is named as a cache", func() bool { return cycles.IsCache(cy.File) }},
		{ofProcess, "it is loaded into a struct with a field for the number of a process",
			func() bool { return cycles.HasPid(cy) }},
		{details, "a helper decodes the file and yields texts and numbers",
			func() bool { return cycles.AnswersDetails(f, cy) }},
	} {
		if c.x.Log().Asks(r.Rule) && r.holds() {
			if spoke = append(spoke, r); !c.x.Log().Keeps() {
				break
			}
		}
	}
	return spoke
}

func (c *checker) report(l *loss, k *verdict.Candidate) {
	at := l.Call.Pos()
	if c.said[at] || l.Told && k.Says(toldThere, l.Failed.Pos, "its own package is told") ||
		l.In != l.saver && looksOnly(l.In) && k.Says(details, at, l.In.Name()+" looks at the file alone") ||
		lexicon.OnPurpose.MatchString(c.x.CommentAt(at)) && k.Says(onPurpose, at, "a comment says so") {
		return
	}
	v := c.x.Judge(k, l.saver, l.write, l.file, state.WriteContext{Published: l.last != l.write})
	if !v.State {
		return
	}
	c.said[at], k.Reported = true, true
	f := &finding.Finding{
		Check: Name, Variant: l.variant(), Pos: l.Pos(), End: l.End(), Func: l.In.Name(), Other: l.saver.SSA.Pos(),
		Sentence: l.sentence(), Schedule: l.schedule(),
	}
	c.x.Weigh(k, f, true, l.saver, l.write, l.file, false)
	f.Evidence = append(f.Evidence, finding.Evidence{Pos: l.last.Pos, Text: l.saver.Name() + " saves it"})
	f.Evidence = append(f.Evidence, v.Evidence...)
	f.Remedy, f.NoFix = c.remedy(l)
	if _, returns := f.Remedy.(finding.SurfaceError); returns {
		c.askCallers(l.In, f)
	}
	c.out = append(c.out, f)
}

// puts reports whether the saver puts a whole file in the place of the old one: it never leaves half of it.
func (l *loss) puts() bool { return l.last.Kind == effects.Rename || l.last.Kind == effects.Replace }

// remedy is the return of the error, or why there is none.
func (c *checker) remedy(l *loss) (finding.Remedy, string) {
	switch why := c.relied(l.In); {
	case l.Foreign:
		return nil, "a function of another package loses the error"
	case l.anew:
		return nil, "only its author knows whether to give up on a file that cannot be decoded: " +
			"return the error, or keep a copy with safeio.Backup first"
	case !memory.ReturnsError(l.In.SSA.Signature):
		return nil, "the function returns no error: have " + memory.FuncName(l.In.SSA) + " return one, " +
			"or keep a copy with safeio.Backup before the next save replaces the file"
	case c.repairs(l.In):
		return nil, "it repairs what is broken: only its author knows whether it gives up on a file that cannot be decoded"
	case why != "":
		return nil, why
	}
	r := finding.SurfaceError{
		Body: effects.BodyOf(l.In.SSA), Call: l.Call, Return: l.Return, Does: "decode", Path: l.path(),
	}
	if !l.Own || l.Failed.Kind != effects.Decode || l.opens() {
		r.Opens, r.Does = true, "load"
	}
	return r, ""
}

// repairs reports whether a function is there to put right what is broken, as its name or that of its
// package says.
func (c *checker) repairs(f *effects.Func) bool {
	return lexicon.Repairs[c.p.Pass.Pkg.Name()] || lexicon.Repairs.Begins(memory.Outermost(f.SSA).Name())
}

// opens reports whether the call that fails to decode the file opens it, too.
func (l *loss) opens() bool {
	return slices.ContainsFunc(l.In.OfKind(effects.Read), func(e *effects.Effect) bool { return e.Here() == l.Call })
}

// path is the file as the function that loses the error spells it, nil where it
// does not, or reads several.
func (l *loss) path() ast.Expr {
	var path ast.Expr
	for _, e := range l.In.OfKind(effects.Read) {
		if e.Call == nil || e.Via != nil || len(e.Call.Args) != 1 || e.Call.Pos() > l.Call.Pos() {
			continue
		}
		if path != nil {
			return nil
		}
		path = e.Call.Args[0]
	}
	return path
}

func (l *loss) variant() string {
	switch {
	case l.Failed.Kind != effects.Decode:
		return "read"
	case l.Own:
		return "decode"
	}
	return "load"
}

func (l *loss) sentence() string {
	what := map[string][2]string{
		"decode": {"cannot be decoded", l.cause()},
		"load":   {"cannot be loaded", l.cause()},
		"read":   {"cannot be read", "one failed read"},
	}[l.variant()]
	if l.anew {
		return fmt.Sprintf("%s saves a new value over %s where that %s: %s erases all that it held",
			l.In.Name(), l.file.Named("its file"), what[0], what[1])
	}
	fn, saves := l.In.Name()+" takes", "and saves that"
	if l.Foreign {
		fn = l.In.Name() + " has " + pathexpr.ShortName(l.Failed.Foreign) + " take"
	}
	if l.saver != l.In {
		saves = "and " + l.saver.Name() + " saves that"
	}
	return fmt.Sprintf(
		"%s a file that %s for an empty one, %s over %s: %s erases all that it held",
		fn,
		what[0],
		saves,
		l.file.Named("its file"),
		what[1],
	)
}

// cause is what happens to a file that then cannot be decoded: it is torn, or, where
// it is published whole, spoilt by somebody else.
func (l *loss) cause() string {
	if l.puts() {
		return "one bad edit"
	}
	return "one torn read"
}

// value is what the process has in place of what it could not load.
func (l *loss) value() string {
	if l.anew {
		return "a new value"
	}
	return "an empty value"
}

func (l *loss) schedule() []finding.Step {
	path := l.file.Named("its file")
	spoils := finding.Step{
		Actor: "a writer",
		Does:  "is halfway through " + path + ", or was killed there",
		File:  "the first part of the content",
		Acts:  []finding.Act{finding.Tears},
	}
	if l.puts() {
		spoils = finding.Step{
			Actor: "a user",
			Does:  "edits " + path + " by hand, merges it, or saves it in a newer form",
			File:  "what this program does not decode",
			Acts:  []finding.Act{finding.Tears},
		}
	}
	steps := []finding.Step{
		spoils,
		{Actor: "this process", Pos: l.Failed.Pos, Does: "reads that and fails to decode it"},
		{Actor: "this process", Pos: l.Pos(), Does: "goes on with " + l.value(), Memory: "nothing of the file"},
		{Actor: "this process", Pos: l.last.Pos, Does: "saves it", File: "nothing of what it held"},
	}
	switch l.variant() {
	case "read":
		steps = steps[1:]
		steps[0].Does = "fails to read " + path + ", which is there: no permission, too many open files, a broken disk"
	}
	return steps
}
