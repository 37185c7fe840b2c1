package prove

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pattern"
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
		if SpecPath(spec) != "fmt" {
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

// deferring is the statement that defers a call which returns an error, as the package defers
// such calls: bare, or in a function that assigns the error to the blank identifier, which is
// what linters of unchecked errors want.
func (s *File) deferring(call string) string {
	if s.drops() {
		return "defer func() { _ = " + call + " }()"
	}
	return "defer " + call
}

// dropsErrors reports whether more of the calls whose error nobody wants have it assigned to the
// blank identifier than not. The deferred calls that release something decide, those of the file
// before those of the package; where there are none, all deferred calls, or all calls.
func (s *File) dropsErrors() bool {
	own := sync.OnceValue(func() []unwanted { return s.unwanteds(s.file) })
	others := sync.OnceValue(func() []unwanted { return s.unwanteds(s.pass.Files...) })
	for _, like := range []func(unwanted) bool{
		func(u unwanted) bool { return u.deferred && lexicon.Releases(u.name) },
		func(u unwanted) bool { return u.deferred },
		func(unwanted) bool { return true },
	} {
		for _, all := range []func() []unwanted{own, others} {
			if more := s.blanks(all(), like); more != 0 {
				return more > 0
			}
		}
	}
	return false
}

// An unwanted error is that of a call, at which nobody looks.
type unwanted struct {
	file            *ast.File
	stmt            ast.Stmt
	name            string // of the function that is called
	deferred, blank bool
}

// unwanteds lists those of files.
func (s *File) unwanteds(files ...*ast.File) (list []unwanted) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			stmt, ok := n.(ast.Stmt)
			if !ok {
				return true
			}
			call, u := s.unwanted(f, stmt)
			if call == nil || !isError(s.pass.Info.TypeOf(call)) {
				return true
			}
			list = append(list, u)
			return !u.deferred
		})
	}
	return list
}

// blanks counts the calls of a list that are like those asked for: how many more assign their error to the
// blank identifier than do not.
func (s *File) blanks(all []unwanted, like func(unwanted) bool) (more int) {
	for _, u := range all {
		switch {
		case !like(u):
		case u.blank || s.silenced(u.file, u.stmt):
			more++
		case u.name != "Close": // linters except it
			more--
		}
	}
	return more
}

// unwanted is the call of a statement that does nothing else, and drops what that returns.
func (s *File) unwanted(f *ast.File, stmt ast.Stmt) (call *ast.CallExpr, u unwanted) {
	u.file, u.stmt = f, stmt
	at := stmt
	d, deferred := stmt.(*ast.DeferStmt)
	if deferred {
		call = d.Call
		if lit, ok := d.Call.Fun.(*ast.FuncLit); ok && len(lit.Body.List) == 1 {
			at = lit.Body.List[0]
		}
	}
	if at != stmt || !deferred {
		call = plainCall(at)
		_, u.blank = at.(*ast.AssignStmt)
	}
	if call == nil {
		return nil, u
	}
	if fn := s.pass.callee(call); fn != nil {
		u.name = fn.Name()
	}
	u.deferred = deferred
	return call, u
}

// silenced reports whether a comment beside a statement tells a linter of unchecked errors to be
// silent.
func (s *File) silenced(f *ast.File, stmt ast.Stmt) bool {
	line := s.pass.Fset.Position(stmt.End()).Line
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
		text := g.List[0].Text
		return g.Pos() > stmt.Pos() && s.pass.Fset.Position(g.Pos()).Line == line && strings.HasPrefix(text, "//nolint") && strings.Contains(text, "errcheck")
	})
}

// retell takes the temporary file out of what the function still says: out of the comments on
// the statements that replace the file now, and out of messages.
func (sc *handleScope) retell(stmts ...ast.Stmt) {
	for a := range nodes[*ast.AssignStmt](sc.body) { // what names the file goes with it
		if len(a.Lhs) == 1 && sc.temp.names[sc.pass.object(a.Lhs[0])] && sc.siblings(a) != nil && !slices.Contains(stmts, ast.Stmt(a)) {
			stmts = append(stmts, a)
		}
	}
	var hushed []rewrite.Op
	for _, stmt := range stmts {
		hushed = append(hushed, rewrite.Hush{Above: stmt, Keep: rewrite.Untold})
	}
	sc.ops = append(hushed, sc.ops...)

	end := sc.statement(sc.temp.rename).End()
	from, to := sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target)
	for call := range nodes[*ast.CallExpr](sc.body) {
		if sc.changed(call) || !sc.pass.isQuiet(call) && !sc.makesError(call) {
			continue
		}
		for _, arg := range call.Args {
			lit, ok := arg.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			said := lit.Value
			if sc.open.Pos() < lit.Pos() && lit.Pos() < end {
				for _, t := range temporary {
					said = t.words.ReplaceAllString(said, t.by)
				}
			}
			if to != "" && from != to && strings.HasPrefix(from, to) {
				said = strings.ReplaceAll(said, from, to)
			}
			if said != lit.Value {
				sc.put(lit, said)
			}
		}
	}
}

// collapsed makes the changes, also of what is said at some statements, unless a comment that stays tells of the temporary file.
func (sc *handleScope) collapsed(with string, also ...ast.Stmt) (*Proof, error) {
	sc.retell(append(also, sc.statement(sc.open), sc.statement(sc.temp.rename))...)
	temp := ""
	if !sc.temp.handle {
		temp = strings.TrimPrefix(sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target))
	}
	if !telling.MatchString(temp) {
		temp = ""
	}
	for _, d := range sc.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && temp != "" && f.Pos() <= sc.body.Pos() && sc.body.End() <= f.End() && strings.Contains(f.Doc.Text(), temp) {
			return nil, refusef("the comment on %s tells what becomes of its temporary file, %s; what it promises only its author can change", f.Name.Name, temp)
		}
	}
	if temp != "" && slices.ContainsFunc(sc.file.Comments, func(c *ast.CommentGroup) bool {
		text := c.Text()
		return sc.body.Pos() < c.Pos() && c.End() < sc.body.End() && sc.alone(c.Pos()) && strings.Contains(text, temp) && !idle(text) && !rewrite.Steps(text)
	}) {
		return nil, refusef("a comment tells what becomes of the temporary file, %s; what it promises only its author can change", temp)
	}
	p, err := sc.plan("Replace the file with " + with)
	if err == nil {
		p.Temp = temp
	}
	return p, err
}

// telling is the end of a name that says which file it is.
var telling = pattern.New(`^[.\w-]*\w\w$`)

// makesError reports whether a call makes an error of a text.
func (sc *handleScope) makesError(call *ast.CallExpr) bool {
	return sc.pass.calls(call, "fmt", "Errorf") || sc.pass.calls(call, "errors", "New") || sc.pass.wraps(call)
}

// temporary are the words of messages that call a file temporary, and what is said without:
// "write temp file" and "write tmp keys" are of the file itself, "meta.json.tmp" and "meta.json
// temp" are meta.json, and "write tmp" is to write the file.
var temporary = []struct {
	words *pattern.Pattern
	by    string
}{
	{pattern.New(`(\w\.\w+)(?:\.te?mp| te?mp)\b`), "$1"},
	{pattern.New("(?i)(^[\"`]| )(?:temp|temporary|tmp) ([\\w%])"), "$1$2"},
	{pattern.New("(?i)(\\w )(?:temp|tmp)(:|[\"`]$)"), "${1}file$2"},
}

// lastText is the last string that is written out in an expression, or in that which the
// variable was declared with that it is; empty for none.
func (sc *handleScope) lastText(e ast.Expr) (text string) {
	if value := sc.value(sc.pass.object(e)); value != nil {
		e = value
	}
	for lit := range nodes[*ast.BasicLit](e) {
		if lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
	}
	return text
}
