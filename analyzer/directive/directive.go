package directive

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/finding"
)

// Name is the name of the check.
const Name = "directive"

//go:embed doc.go
var Doc string

// A Pass is what the check has to know of a package and of the other checks.
type Pass struct {
	Fset  *token.FileSet
	Files []*ast.File
	// Tests says that test files are looked at.
	Tests bool
	// Known lists the names of checks and categories that there are.
	Known func() []string
	// Ran are the names of the checks that ran.
	Ran []string
	// Alone says that they knew nothing of other packages, of which more could
	// have been reported.
	Alone bool
}

// A judged directive is one and the findings that it answered for.
type judged struct {
	directive.Directive
	checks []string
	reason string
	used   bool
}

// Apply drops the findings that a directive answers for, and returns the others
// with the directives that are not heard.
func (p Pass) Apply(all []*finding.Finding) (left, unheard []*finding.Finding) {
	left = all
	for _, f := range p.Files {
		list := directive.In(f)
		if len(list) == 0 && len(directive.Spaced(f)) == 0 {
			continue
		}
		ignores := p.ignores(f, list)
		left = slices.DeleteFunc(left, func(f *finding.Finding) bool { return p.answered(f, ignores) })
		if name := p.Fset.File(f.Pos()).Name(); p.Tests || !strings.HasSuffix(name, "_test.go") {
			unheard = append(unheard, p.judge(f, list, ignores)...)
		}
	}
	return left, unheard
}

// ignores are the directives Ignore of a file by the line of which they speak.
func (p Pass) ignores(f *ast.File, list []directive.Directive) map[int][]*judged {
	code := directive.CodeLines(p.Fset, f)
	found := map[int][]*judged{}
	for _, d := range list {
		if d.Word == directive.Ignore {
			line := d.Line(p.Fset, code)
			checks, reason := d.Answers()
			found[line] = append(found[line], &judged{Directive: d, checks: checks, reason: reason})
		}
	}
	return found
}

// answered reports whether a directive answers for the finding, which is then
// used.
func (p Pass) answered(f *finding.Finding, ignores map[int][]*judged) bool {
	at := p.Fset.Position(f.Pos)
	answered := false
	for _, d := range ignores[at.Line] {
		if p.Fset.Position(d.Comment.Pos()).Filename != at.Filename {
			continue
		}
		if slices.Contains(d.checks, f.Check) || slices.Contains(d.checks, f.Category()) {
			d.used = true
			answered = answered || d.reason != ""
		}
	}
	return answered
}

// judge reports the directives of a file that are not heard.
func (p Pass) judge(f *ast.File, list []directive.Directive, ignores map[int][]*judged) []*finding.Finding {
	answers := map[*ast.Comment]*judged{}
	for _, ds := range ignores {
		for _, d := range ds {
			answers[d.Comment] = d
		}
	}
	var out []*finding.Finding
	for _, d := range list {
		var r *report
		switch d.Word {
		case directive.Ignore:
			r = p.ignore(answers[d.Comment])
		case directive.State:
			r = p.state(f, d)
		default:
			r = &report{
				"unknown",
				fmt.Sprintf("there is no directive %q: the comment has no effect", d.Word),
				"the directives are: " + strings.Join(directive.Words(), ", "),
			}
		}
		if r != nil {
			out = append(out, r.finding(f, d))
		}
	}
	for _, d := range directive.Spaced(f) {
		r := report{"unknown", fmt.Sprintf("a blank follows the slashes: the comment is no directive %q and has no "+
			"effect", d.Word), "it has to begin with //lockvet:" + d.Word}
		out = append(out, r.finding(f, d))
	}
	return out
}

// A report says what is wrong with a directive, and how that is known.
type report struct {
	variant, sentence, evidence string
}

func (r report) finding(file *ast.File, d directive.Directive) *finding.Finding {
	return &finding.Finding{
		Check: Name, Variant: r.variant, Pos: d.Comment.Pos(), End: d.Comment.End(),
		Func: around(file, d.Comment.Pos()), Sentence: r.sentence, Claim: "has no effect",
		Evidence: []finding.Evidence{{Pos: d.Comment.Pos(), Text: r.evidence}},
		NoFix:    "its author has to say what it is for",
	}
}

// around is the function that holds a comment, or to whose documentation it
// belongs; empty outside of all.
func around(file *ast.File, pos token.Pos) string {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (fn.Pos() <= pos || fn.Doc != nil && fn.Doc.Pos() <= pos) && pos < fn.End() {
			return fn.Name.Name
		}
	}
	return ""
}

func (p Pass) ignore(d *judged) *report {
	known := p.Known()
	for _, name := range d.checks {
		if !slices.Contains(known, name) {
			return &report{
				"unknown",
				fmt.Sprintf("there is no check %q: the comment has no effect", name),
				"the checks are: " + strings.Join(names(known), ", "),
			}
		}
	}
	what := strings.Join(d.checks, ",")
	switch {
	case len(d.checks) == 0:
		return &report{
			"reason",
			"the comment names no check and no reason: it has no effect",
			"it has to read: //lockvet:ignore CHECK REASON",
		}
	case d.reason == "":
		return &report{
			"reason",
			fmt.Sprintf("the comment gives no reason for ignoring %s: it has no effect", what),
			"it has to read: //lockvet:ignore " + what + " REASON",
		}
	case !d.used && !p.Alone && p.ran(d.checks):
		return &report{"unused", fmt.Sprintf("%s reports nothing here: the comment has no effect", what), "it would " +
			"hide the next mistake that is made here"}
	}
	return nil
}

// ran reports whether all checks that a directive names did.
func (p Pass) ran(checks []string) bool {
	for _, name := range checks {
		check, _, _ := strings.Cut(name, "/")
		if !slices.Contains(p.Ran, check) {
			return false
		}
	}
	return true
}

// names leaves the categories out.
func names(known []string) []string {
	return slices.DeleteFunc(known, func(s string) bool { return strings.Contains(s, "/") })
}

func (p Pass) state(f *ast.File, d directive.Directive) *report {
	for comment := range directive.Declared(f) {
		if comment == d.Group {
			return nil
		}
	}
	return &report{
		"misplaced",
		"the comment marks nothing: it stands at no declaration whose path could hold state",
		"it belongs to a field of a named struct, a constant, a variable or a function",
	}
}
