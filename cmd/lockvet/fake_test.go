package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/finding"
)

// newFake is an analyzer that reports every os.WriteFile, so that scripts can
// put the driver into situations that the real one avoids. Its fix is wrong
// where the path is one of these literals:
//
//	"wrongcall"    the edit names a function that safeio does not have
//	"wrongfile"    the edit adds a second package clause's worth of nonsense
//	"again"        the edit brings the finding back
//	"nofix"        there is no edit
func newFake(*types.Func) *analysis.Analyzer {
	f := &fake{}
	a := &analysis.Analyzer{
		Name:       "lockvet",
		Doc:        "fake",
		ResultType: reflect.TypeFor[*analyzer.Result](),
		Run:        f.run,
	}
	a.Flags.Func("enable", "checks to `run`", func(s string) error {
		if s != "fake" {
			return fmt.Errorf("no check is named %q", s)
		}
		return nil
	})
	a.Flags.BoolVar(&f.tests, "tests", false, "report findings in tests")
	a.Flags.StringVar(&f.safeio, "safeio", "github.com/lockvet/lockvet/safeio", "import path of safeio")
	return a
}

type fake struct {
	tests  bool
	safeio string
}

func (f *fake) run(pass *analysis.Pass) (any, error) {
	result := &analyzer.Result{}
	for _, file := range pass.Files {
		if !f.tests && strings.HasSuffix(pass.Fset.File(file.Pos()).Name(), "_test.go") {
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isWriteFile(pass, call) {
					result.Findings = append(result.Findings, f.finding(file, fn, call))
				}
				return true
			})
		}
	}
	for _, r := range result.Findings {
		pass.Report(r.Diagnostic())
	}
	return result, nil
}

func isWriteFile(pass *analysis.Pass, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	obj := pass.TypesInfo.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "os" && obj.Name() == "WriteFile"
}

func (f *fake) finding(file *ast.File, fn *ast.FuncDecl, call *ast.CallExpr) *finding.Finding {
	r := &finding.Finding{
		Check:    "fake",
		Variant:  "write",
		Pos:      call.Pos(),
		End:      call.End(),
		Func:     fn.Name.Name,
		Sentence: fn.Name.Name + " rewrites its file in place, so that a reader or a crash sees it torn",
		Evidence: []finding.Evidence{{Pos: fn.Pos(), Text: "written by " + fn.Name.Name}},
		Schedule: []finding.Step{
			{Actor: "process A", Pos: call.Pos(), Does: "truncates the file here", File: "nothing"},
			{Actor: "process B", Does: "reads it"},
		},
	}
	lit, _ := call.Args[0].(*ast.BasicLit)
	kind := ""
	if lit != nil {
		kind = strings.Trim(lit.Value, `"`)
	}
	if kind == "nofix" {
		r.NoFix = "the path says so"
		return r
	}
	r.Fix = f.fix(file, call, kind)
	return r
}

func (f *fake) fix(file *ast.File, call *ast.CallExpr, kind string) *analysis.SuggestedFix {
	fix := &analysis.SuggestedFix{Message: "replace os.WriteFile by safeio.WriteFile"}
	add := func(pos, end token.Pos, text string) {
		fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)})
	}
	switch kind {
	case "again":
		add(call.Pos(), call.Pos(), "/*again*/ ")
		return fix
	case "wrongcall":
		add(call.Fun.Pos(), call.Fun.End(), "safeio.Nonsense")
	case "wrongfile":
		add(file.FileEnd, file.FileEnd, "var nonsense int = \"\"\n")
		fallthrough
	default:
		add(call.Fun.Pos(), call.Fun.End(), "safeio.WriteFile")
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == strconv.Quote(f.safeio) {
			return fix
		}
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			last := d.Specs[len(d.Specs)-1]
			lead := "\n\t"
			if !d.Lparen.IsValid() {
				lead = "\nimport "
			}
			add(last.End(), last.End(), lead+strconv.Quote(f.safeio))
			break
		}
	}
	return fix
}
