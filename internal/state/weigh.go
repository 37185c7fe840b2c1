package state

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The rules that lower a score.
var (
	unproven = verdict.Declare(verdict.Rule{
		ID: "severity/unproven", Effect: verdict.Lowers, Fixture: "tornwrite/unproven",
		Why: "only a name, an encoder or a rename says that the file is state. A loader known by its name alone " +
			"counts for methods of one type, and for settings, sessions and secrets",
		Source: "true reports that their authors would not merge: devspace-sh/devspace, gogs/gogs, " +
			"asheshgoplani/agent-deck, vbonnet/dear-agent, smart-mcp-proxy/mcpproxy-go; principle: a weaker evidence " +
			"is a lower severity",
	})
	// OneWriter is the rule that nothing shows two writers of a file.
	OneWriter = verdict.Declare(verdict.Rule{
		ID: "severity/one-writer", Effect: verdict.Lowers, Fixture: "lostupdate/severity",
		Why: "the mistake takes two writers at the same time, and no name in the package says that there are two",
		Source: "true reports that their authors would not merge: zyedidia/micro, yorukot/superfile, wtfutil/wtf, " +
			"asheshgoplani/agent-deck, mark3labs/kit; principle: a weaker evidence is a lower severity",
	})
)

// byItself is the rule that the program itself calls the function that writes.
var byItself = verdict.Declare(verdict.Rule{
	ID: "two-writers/asked", Effect: verdict.For, Fixture: "lostupdate/severity/asked",
	Why: "the function that saves is named for a question, or one that the program calls by itself leads to it",
	Source: "a field report: a gate that saves when it is asked whether something was checked; wanted reports: tokens that a " +
		"getter saves, in mark3labs/kit; principle: what goes on by itself goes on in every process",
})

// Weigh notes what bears on how much a finding counts: it stands at the write w of the file path, as root sees it; proven
// says that the program shows what it is. together says that two writers at one time are what loses the data.
func (x *Index) Weigh(
	k *verdict.Candidate,
	f *finding.Finding,
	proven bool,
	root *effects.Func,
	w *effects.Effect,
	path *pathexpr.Term,
	together bool,
) {
	lower := func(rule *verdict.Rule, text string) bool { return k.Says(rule, w.Pos, text) }
	if !proven {
		lower(unproven, "nothing shows what the file is to the program")
	}
	funcs := []string{memory.Outermost(w.In).Name(), memory.Outermost(root.SSA).Name()}
	nouns := append(pathexpr.Names(path), pathexpr.Constants(path)...)
	names := slices.Clone(funcs)
	if recv := memory.RecvName(w.In); recv != "" {
		names, nouns = append(names, recv), append(nouns, recv)
	}
	of := slices.Concat(nouns, funcs)
	if word, name := lexicon.MadeAgain(slices.DeleteFunc(slices.Clone(of), pathexpr.Memo(path))...); word != "" {
		// What is cached by a function can be an entry of a file that holds more.
		entry := slices.Contains(funcs, name) && x.derived(root, w, path)
		f.Passing = lower(lexicon.Again.Rule, "\""+name+"\" says "+word) && !lexicon.Outputs.Has(word) && !entry &&
			!slices.ContainsFunc(of, lexicon.NamesLogin)
	}
	source := strings.TrimSuffix(filepath.Base(x.p.Pass.Fset.Position(w.In.Pos()).Filename), ".go")
	if word, name := lexicon.AboutItself(x.p.Pass.Pkg.Name(), source, nouns, funcs); word != "" &&
		lower(lexicon.OfItself.Rule, "\""+name+"\" says "+word) {
		f.Passing = true
	}
	if word, name := lexicon.RunOnce.Words.In(append(names, x.p.Pass.Pkg.Name())...); word != "" {
		lower(lexicon.RunOnce.Rule, "\""+name+"\" says "+word)
	}
	if together && !x.two(k, root, w, nouns, funcs) {
		lower(OneWriter, "nothing shows two writers at a time")
	}
}

// two reports whether something shows that two writers can meet at the file of w.
func (x *Index) two(k *verdict.Candidate, root *effects.Func, w *effects.Effect, nouns, funcs []string) bool {
	if word, name := lexicon.Registry(nouns, funcs); word != "" && k.Says(lexicon.Registries.Rule, w.Pos, "\""+name+"\" says "+word) {
		return true
	}
	goesOn := func(fn *ssa.Function) bool {
		return !known.IsCommand(memory.Outermost(fn).Signature) && !known.IsCommand(fn.Signature) &&
			(lexicon.ByItself(fn.Name()) || lexicon.Asked(fn.Name()) && fn == root.SSA)
	}
	fn := x.calling(root.SSA, goesOn)
	return fn != nil && k.Says(byItself, w.Pos, memory.FuncName(fn)+" is called whenever the program asks for it")
}

// calling is a function that leads to fn, or fn itself, of which something is so; nil for none.
// What a literal does, the function around it does.
func (x *Index) calling(fn *ssa.Function, is func(*ssa.Function) bool) *ssa.Function {
	next := func(fn *ssa.Function) []*ssa.Function {
		var list []*ssa.Function
		for _, site := range x.p.Callers().Sites(fn) {
			if _, ok := site.(*ssa.Go); !ok {
				list = append(list, site.Parent())
			}
		}
		if fn.Parent() != nil {
			list = append(list, fn.Parent())
		}
		return list
	}
	for _, fn := range flow.Reach(x.p.Flow.Budget, next, fn) {
		if is(fn) {
			return fn
		}
	}
	return nil
}
