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
	"github.com/lockvet/lockvet/internal/remark"
	"github.com/lockvet/lockvet/internal/syntax"
)

// failure is an error expression for the error called name of something that the
// function comes to do: as the function passes on the errors that it gets, bare or
// wrapped by the same function in words of the same form. Does is a verb, what its object.
func (sc *handleScope) failure(name, does, what string, at token.Pos) string {
	wrappings, bare := sc.passedOn()
	if len(wrappings) <= bare {
		return name
	}
	first := wrappings[0]
	text := likewise(wrappings, does, what)
	switch {
	case !sc.sees(at, first.call.Fun):
		return name
	case first.verb == "":
		return sc.plain(first.call) + "(" + name + ", " + strconv.Quote(text) + ")"
	}
	return sc.of(first.call.Fun) + "(" + strconv.Quote(text+": "+first.verb) + ", " + name + ")"
}

// A wrapping is a call that puts words in front of an error.
type wrapping struct {
	call *ast.CallExpr
	err  ast.Expr // the error
	text string   // the words, or their format
	args []ast.Expr
	verb string // that stands for the error in the words; empty where the function adds it
}

// passedOn are the calls in which the function wraps the errors that it returns,
// and the number of those that it returns as they are.
func (sc *handleScope) passedOn() (wrappings []wrapping, bare int) {
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
				if w, ok := sc.wrapping(e); ok {
					wrappings = append(wrappings, w)
				}
			}
		}
		return true
	})
	return wrappings, bare
}

// wrapping is what a call of fmt.Errorf wraps, or one of a function like errors.Wrap, which
// takes the error and the words.
func (sc *handleScope) wrapping(call *ast.CallExpr) (w wrapping, ok bool) {
	if len(call.Args) < 2 {
		return w, false
	}
	w.call = call
	words, last := 1, len(call.Args)-1
	if known.Is(typeutil.StaticCallee(sc.pass.Info, call), "fmt.Errorf") {
		words, w.err, w.args = 0, call.Args[last], call.Args[1:last]
	} else if sc.pass.wraps(call) && isError(sc.pass.Info.TypeOf(call.Args[0])) {
		w.err, w.args = call.Args[0], call.Args[2:]
	} else {
		return w, false
	}
	lit, isLit := call.Args[words].(*ast.BasicLit)
	if !isLit || lit.Kind != token.STRING {
		return w, false
	}
	w.text, _ = strconv.Unquote(lit.Value)
	if words > 0 {
		return w, true
	}
	w.verb = "%w"
	if !strings.Contains(w.text, w.verb) && len(w.text) > 1 {
		w.verb = w.text[len(w.text)-2:]
		return w, (w.verb == "%v" || w.verb == "%s") && isError(sc.pass.Info.TypeOf(w.err))
	}
	return w, true
}

// rewrapped is the call for another error.
func (sc *handleScope) rewrapped(w wrapping, name string) string {
	return sc.between(w.call.Pos(), w.err.Pos()) + name + sc.between(w.err.End(), w.call.End())
}

// plain is the name of a function that wraps an error in words, without the f where its package
// has one that takes nothing to format.
func (sc *handleScope) plain(call *ast.CallExpr) string {
	name, fn := sc.of(call.Fun), sc.pass.callee(call)
	short := strings.TrimSuffix(fn.Name(), "f")
	if other, ok := fn.Pkg().Scope().Lookup(short).(*types.Func); ok && fn.Signature().Recv() == nil && other.Signature().Params().Len() == 2 {
		return strings.TrimSuffix(name, fn.Name()) + short
	}
	return name
}

// topic is what the messages of errors all begin with, up to a colon: the name of what the
// function is about.
func topic(wrappings []wrapping) string {
	common := wrappings[0].text
	for _, w := range wrappings {
		for !strings.HasPrefix(w.text, common) {
			common = common[:len(common)-1]
		}
	}
	end := strings.LastIndex(common, ": ") + len(": ")
	if len(wrappings) < 2 || end < len(": ") || strings.Contains(common[:end], "%") {
		return ""
	}
	return common[:end]
}

// likewise says that something could not be done to an object, in the form of other messages.
func likewise(wrappings []wrapping, does, what string) string {
	about := topic(wrappings)
	like := strings.TrimPrefix(wrappings[0].text, about)
	if before, _, ok := strings.Cut(like, " failed"); ok && !strings.Contains(before, ":") {
		return about + does + " " + what + " failed"
	}
	return about + lexicon.Phrase(like, does) + " " + what
}

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
	for id := range syntax.Unselected(e) {
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
	words := slices.DeleteFunc(lexicon.Words(id.Name), func(w string) bool { return lexicon.OfPaths[w] || len(w) == 1 })
	return cmp.Or(strings.Join(words, " "), "file")
}

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
		call = syntax.PlainCall(at)
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
	for a := range syntax.Nodes[*ast.AssignStmt](sc.body) { // what names the file goes with it
		if len(a.Lhs) == 1 && sc.temp.names[sc.pass.object(a.Lhs[0])] && sc.siblings(a) != nil && !slices.Contains(stmts, ast.Stmt(a)) {
			stmts = append(stmts, a)
		}
	}
	var hushed []rewrite.Op
	for _, stmt := range stmts {
		hushed = append(hushed, rewrite.Hush{Above: stmt, Keep: remark.Untold})
	}
	sc.ops = append(hushed, sc.ops...)

	rename := sc.outcome(sc.temp.rename)
	end := rename.last().End()
	from, to := sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target)
	for call := range syntax.Nodes[*ast.CallExpr](sc.body) {
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
			if rename.stmt.Pos() < lit.Pos() && lit.Pos() < end {
				said = lexicon.Renaming.ReplaceAllString(said, "${1}eplac$2")
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
	temp := strings.TrimPrefix(sc.lastText(sc.open.Args[0]), sc.lastText(sc.temp.target))
	if sc.temp.handle || !lexicon.Telling.MatchString(temp) {
		temp = ""
	}
	for _, d := range sc.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || sc.body.Pos() < f.Pos() || f.End() < sc.body.End() {
			continue
		}
		for _, told := range []string{temp, sc.of(sc.temp.rename.Fun)} {
			if told != "" && strings.Contains(f.Doc.Text(), told) {
				return nil, refusef("the comment on %s tells of %s, which goes; what it promises only its author can change", f.Name.Name, told)
			}
		}
		if sc.toldOf(f) {
			return nil, refusef("another comment tells who shares the temporary file of %s, which goes; what it promises only its author can change", f.Name.Name)
		}
	}
	if temp != "" && slices.ContainsFunc(sc.file.Comments, func(c *ast.CommentGroup) bool {
		text := c.Text()
		return sc.body.Pos() < c.Pos() && c.End() < sc.body.End() && sc.alone(c.Pos()) && strings.Contains(text, temp) && !idle(text) && !remark.Steps(text)
	}) {
		return nil, refusef("a comment tells what becomes of the temporary file, %s; what it promises only its author can change", temp)
	}
	p, err := sc.plan("Replace the file with " + with)
	if err == nil {
		p.Temp = temp
	}
	return p, err
}

// toldOf reports whether a comment that is not in or on a function tells who shares its temporary file.
func (s *File) toldOf(f *ast.FuncDecl) bool {
	name := pattern.New(`\b` + f.Name.Name + `\b`)
	return strings.ToLower(f.Name.Name) != f.Name.Name && slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool {
		text := c.Text()
		return c != f.Doc && (c.Pos() < f.Pos() || f.End() < c.Pos()) && name.MatchString(text) && lexicon.SharesTemp.MatchString(text)
	})
}

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
	for lit := range syntax.Nodes[*ast.BasicLit](e) {
		if lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
	}
	return text
}
