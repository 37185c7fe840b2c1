package prove

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// failure is an error expression for the error called name of something that the
// function comes to do: as the function passes on the errors that it gets, bare or
// wrapped in words of the same form. Does is a verb, what its object.
func (sc *handleScope) failure(name, does, what string, at token.Pos) string {
	formats, bare := sc.passedOn()
	fmtName := sc.fmtName(at)
	if len(formats) <= bare || fmtName == "" || fmtName == name {
		return name
	}
	return fmtName + ".Errorf(" + strconv.Quote(phrase(formats[0], does)+" "+what+": %w") + ", " + name + ")"
}

// passedOn are the formats in which the function wraps the errors that it returns,
// and the number of those that it returns as they are.
func (sc *handleScope) passedOn() (formats []string, bare int) {
	ast.Inspect(sc.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				return false
			}
			switch e := ast.Unparen(n.Results[len(n.Results)-1]).(type) {
			case *ast.Ident:
				if isError(sc.pass.Info.TypeOf(e)) && !isNil(sc.pass.Info, e) {
					bare++
				}
			case *ast.CallExpr:
				if format, ok := sc.wrapping(e); ok {
					formats = append(formats, format)
				}
			}
		}
		return true
	})
	return formats, bare
}

// wrapping is the format of a call of fmt.Errorf that wraps an error.
func (sc *handleScope) wrapping(call *ast.CallExpr) (string, bool) {
	fn := typeutil.StaticCallee(sc.pass.Info, call)
	if !known.Is(fn, "fmt.Errorf") || len(call.Args) < 2 {
		return "", false
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	format, err := strconv.Unquote(lit.Value)
	return format, err == nil && strings.Contains(format, "%w")
}

// phrase puts a verb into the form in which another message begins.
func phrase(like, does string) string {
	for _, prefix := range []string{"failed to ", "Failed to ", "could not ", "Could not ", "cannot ", "can't ", "unable to ", "Unable to "} {
		if strings.HasPrefix(like, prefix) {
			return prefix + does
		}
	}
	first, rest, _ := strings.Cut(like, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch {
	case strings.EqualFold(first, "error") && strings.HasSuffix(second, "ing"):
		return first + " " + gerund(does)
	case strings.HasSuffix(first, "ing"):
		return gerund(does)
	}
	return does
}

func gerund(verb string) string { return strings.TrimSuffix(verb, "e") + "ing" }

// fmtName is the name of package fmt at a position, empty where it has none.
func (sc *handleScope) fmtName(at token.Pos) string {
	for _, spec := range sc.file.Imports {
		if specPath(spec) != "fmt" {
			continue
		}
		name := ImportName(sc.pass, spec)
		if name == "." || name == "_" {
			return ""
		}
		if pkg, ok := sc.pass.lookup(name, at).(*types.PkgName); ok && pkg.Imported().Path() == "fmt" {
			return name
		}
	}
	return ""
}

// sees reports whether the names of an expression mean the same at a position.
func (sc *handleScope) sees(at token.Pos, e ast.Expr) bool {
	for id := range unselected(e) {
		if sc.pass.lookup(id.Name, at) != sc.pass.Info.Uses[id] {
			return false
		}
	}
	return true
}

// calledBy is how messages call the file of a path, as the variable or function is called that
// has it.
func calledBy(path ast.Expr) string {
	if call, ok := path.(*ast.CallExpr); ok {
		path = call.Fun
	}
	if sel, ok := path.(*ast.SelectorExpr); ok {
		path = sel.Sel
	}
	id, ok := path.(*ast.Ident)
	if !ok {
		return "file"
	}
	words := slices.DeleteFunc(lexicon.Words(id.Name), func(w string) bool { return ofPaths[w] || len(w) == 1 })
	return cmp.Or(strings.Join(words, " "), "file")
}

// ofPaths are the words in names of paths that say nothing of the file.
var ofPaths = lexicon.SetOf("path file filename name get full abs the my fn")
