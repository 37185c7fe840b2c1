package prove

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/syntax"
)

// publishHandle turns
//
//	f, err := os.Create(path)             f, err := safeio.Create(path)
//	if err != nil {                       if err != nil {
//		return err                            return err
//	}                                     }
//	defer f.Close()                       defer f.Close() // discards
//	return json.NewEncoder(f).Encode(v)   if err := json.NewEncoder(f).Encode(v); err != nil {
//	                                              return err
//	                                      }
//	                                      return f.Commit()
//
// Every way out of the block that declares the handle must be known: a success
// commits, anything else leaves the file as it was.
func (s *File) publishHandle(r finding.PublishHandle) (*Proof, error) {
	if s.pass.calls(r.Open, "os", "CreateTemp") {
		return nil, Refusal("the file is a temporary one")
	}
	sc, err := s.newHandleScope(r.Body, r.Open, true)
	if err != nil {
		return nil, err
	}
	sc.path, sc.overwrites = r.Open.Args[0], r.Overwrites
	if err := sc.reopen(); err != nil {
		return nil, err
	}
	sc.dropEarlyRemoves()
	sc.locks = r.Locks
	if err := inOrder(sc.dropLocks, sc.follow); err != nil {
		return nil, err
	}
	message := "Publish the file with " + s.safeio + ".Create and Commit"
	if len(r.Locks) > 0 {
		message += ", which need no lock"
	}
	return sc.plan(message)
}

// flushPublished has no proof of its own: where the file is published, that is the fix.
func (s *File) flushPublished(finding.FlushPublished) (*Proof, error) {
	return nil, Refusal("the file cannot be published as it is written: flush it before the lock is released")
}

// follow proves the uses of the handle and edits its way from the opening to
// every exit.
func (sc *handleScope) follow() error {
	if err := inOrder(sc.scanUses, sc.finished); err != nil {
		return err
	}
	w := &walker{sc: sc, pending: make(objects)}
	w.end(w.list(sc.tail, open, &controlPath{}))
	if w.sc.err != nil {
		return w.sc.err
	}
	if w.late {
		return Refusal("a mutex is released before the file could be published: release it behind the last write")
	}
	if !w.published {
		return Refusal("no place is certain to be reached with the file complete")
	}
	if sc.loop && sc.leaks && !sc.deferred {
		return Refusal("the file is opened in a loop and not closed on every path of it")
	}
	switch {
	case !sc.leaks:
	case sc.opened != nil && (sc.early || !sc.deferred):
		return Refusal("the file is not closed at once where it is open: defer that there")
	case !sc.deferred:
		sc.after(sc.check, sc.deferring(sc.f.Name()+".Close()"))
	case sc.early && sc.closer != nil && sc.isMethod(sc.closer.Call, "Close"):
		sc.after(sc.check, sc.of(sc.closer))
		sc.drop(sc.closer)
	case sc.early:
		return Refusal("it may return in front of the deferred call that closes the file, and leave the temporary one: move that up")
	}
	return sc.dropUnused()
}

// dropEarlyRemoves takes away a removal of the target that stands before the
// opening in the same block: the file is replaced, not made anew.
func (sc *handleScope) dropEarlyRemoves() {
	assign := sc.parents[sc.open].(*ast.AssignStmt)
	for _, stmt := range sc.siblings(assign) {
		if stmt == ast.Stmt(assign) {
			return
		}
		if call := syntax.PlainCall(stmt); call != nil && sc.pass.calls(call, "os", "Remove") && sc.isPath(call.Args[0]) {
			sc.drop(stmt)
		}
	}
}

// isPath reports whether an expression is the name that the file is opened
// under, or asks the open file for it.
func (sc *handleScope) isPath(e ast.Expr) bool {
	if sc.path == nil {
		return false
	}
	if sc.isName(e) {
		return true
	}
	if obj := sc.pass.object(sc.path); obj != nil {
		return sc.pass.object(e) == obj
	}
	return types.ExprString(e) == types.ExprString(sc.path)
}

func (sc *handleScope) isCleanup(call *ast.CallExpr) bool {
	obj := sc.pass.object(call.Fun)
	return obj != nil && sc.cleanups[obj]
}

// isResult reports whether a variable is a named result of the function.
func (sc *handleScope) isResult(obj types.Object) bool {
	results := sc.ftype.Results
	return results != nil && results.Pos() <= obj.Pos() && obj.Pos() < results.End()
}

// finishText is the text that flushes what deferred calls would have flushed
// too late.
func (sc *handleScope) finishText() string {
	var b strings.Builder
	for _, f := range sc.finish {
		call := sc.of(f.call)
		if f.then != "" {
			b.WriteString(call + "\n")
			call = f.then
		}
		b.WriteString(unless(call, sc.failText()) + "\n")
	}
	return b.String()
}

// failText is the statement that returns err, as the function returns the errors of its writes;
// where it returns none, it is what the function does where it cannot write.
func (sc *handleScope) failText() string {
	if !sc.returnsError() {
		if text := sc.endsUnwritten(); text != "" {
			return text
		}
		sc.note(Refusal("the function has no error result that could say that the commit failed"))
		return ""
	}
	return "return " + sc.zeros() + sc.unwritten()
}

// endsUnwritten is how the function leaves where it cannot write to the handle; empty where it does not say.
func (sc *handleScope) endsUnwritten() string {
	if sc.f == nil || len(sc.tail) == 0 {
		return ""
	}
	text, end := "", sc.tail[len(sc.tail)-1].End()
	for call := range syntax.Nodes[*ast.CallExpr](syntax.List(sc.tail)) {
		o := sc.outcome(call)
		if !sc.lossy(call) || !sc.fails(o) || !sc.sayable(o) {
			continue
		}
		list, seen := o.check.Body.List, true
		for id := range syntax.Unselected(syntax.List(list)) {
			own := sc.pass.Info.Uses[id] == o.err
			seen = seen && (own || id.Name != "err" && sc.pass.lookup(id.Name, end) == sc.pass.lookup(id.Name, id.Pos()))
		}
		if seen {
			text = sc.withName(list, o.err, "err")
		}
	}
	if sc.open == nil || !lexicon.Encodes.MatchString(text) {
		return text
	}
	o := sc.outcome(sc.open)
	if o.check == nil || o.err == nil || !sc.fails(o) || !sc.sayable(o) || !sc.pass.mentions(o.check.Body, o.err) {
		return lexicon.Encodes.ReplaceAllString(text, "writ$2")
	}
	text = sc.withName(o.check.Body.List, o.err, "err")
	for lit := range syntax.Nodes[*ast.BasicLit](syntax.List(o.check.Body.List)) {
		text = strings.ReplaceAll(text, lit.Value, asWrite(lit.Value))
	}
	return text
}

// unwritten is the error err of a write as the function that opens the file returns those of
// others: in the same words, in those of the opening where each write has its own, or in words of
// the same form.
func (sc *handleScope) unwritten() string {
	if sc.open == nil {
		return "err"
	}
	text, at := "err", sc.open.Pos()
	if wrappings, bare := sc.passedOn(); len(wrappings) <= bare {
		return cmp.Or(sc.inStruct(), text)
	}
	words := map[string]bool{}
	for ret := range syntax.Nodes[*ast.ReturnStmt](sc.body) {
		if len(ret.Results) == 0 || ret.Pos() < at {
			continue
		}
		if call, ok := ast.Unparen(ret.Results[len(ret.Results)-1]).(*ast.CallExpr); ok {
			w, ok := sc.wrapping(call)
			if !ok || !lexicon.Writing.MatchString(w.text) || lexicon.EncodingFirst.MatchString(w.text) {
				continue
			}
			words[w.text] = true
			if sc.saysWrite(w) && sc.loops(ret) == sc.loops(sc.open) {
				text = sc.rewrapped(w, "err")
			}
		}
	}
	path, opened := sc.path, sc.asOpened()
	switch {
	case opened != "" && (text == "err" || len(words) > 1):
		return opened
	case text != "err":
		return text
	case sc.temp != nil:
		path = sc.temp.target
	}
	return sc.failure("err", "write", calledBy(path), at)
}

// asOpened is the error err of a write in the words of the opening's; empty where those say nothing.
func (sc *handleScope) asOpened() string {
	exit := sc.outcome(sc.open).exit()
	if sc.temp != nil || len(exit) == 0 {
		return ""
	}
	call, _ := syntax.Result(exit[len(exit)-1]).(*ast.CallExpr)
	if call == nil {
		return ""
	}
	w, ok := sc.wrapping(call)
	if !ok || !lexicon.Opening.MatchString(w.text) || !sc.sees(sc.open.Pos(), call.Fun) || slices.ContainsFunc(w.args, func(e ast.Expr) bool { return !sc.isPure(e) }) {
		return ""
	}
	text := sc.rewrapped(w, "err")
	for lit := range syntax.Nodes[*ast.BasicLit](call) {
		text = strings.ReplaceAll(text, lit.Value, asWrite(lit.Value))
	}
	return text
}

// inStruct is the error err of a write where that of the opening is returned in a struct with words.
func (sc *handleScope) inStruct() string {
	o := sc.outcome(sc.open)
	if exit := o.exit(); len(exit) == 1 && o.err != nil {
		lit, ok := syntax.Result(exit[0]).(*ast.CompositeLit)
		said := asWrite(sc.withName(exit, o.err, "err"))
		if ok && strings.Contains(said, "writ") && sc.sees(sc.open.Pos(), lit.Type) {
			return strings.TrimPrefix(said, "return ")
		}
	}
	return ""
}

// asWrite is a message that a file could not be opened, told of a write.
func asWrite(said string) string {
	said = lexicon.Opening.ReplaceAllStringFunc(said, func(verb string) string {
		if strings.HasSuffix(verb, "ing") {
			return "writing"
		}
		return "write"
	})
	return strings.Replace(said, " for writing", "", 1)
}

// saysWrite reports whether an error is wrapped in words that say that something was to be
// written, and would mean the same for another error where the file is opened.
func (sc *handleScope) saysWrite(w wrapping) bool {
	verbs := len(w.args)
	if w.verb != "" {
		verbs++
	}
	at := sc.open.Pos()
	return lexicon.Writing.MatchString(w.text) && !lexicon.EncodingFirst.MatchString(w.text) && strings.HasSuffix(w.text, w.verb) && strings.Count(w.text, "%") == verbs &&
		isError(sc.pass.Info.TypeOf(w.err)) && sc.sees(at, w.call.Fun) &&
		!slices.ContainsFunc(w.args, func(e ast.Expr) bool { return !sc.isPure(e) || !sc.sees(at, e) })
}

// commitText is the text that flushes and commits at a place.
func (sc *handleScope) commitText(at token.Pos) string {
	commit := unless(sc.f.Name()+".Commit()", sc.failText())
	if sc.reuses(at) {
		commit = strings.Replace(commit, ":=", "=", 1)
	}
	return sc.finishText() + commit
}

// reuses reports whether the function gives the error of its last write to the variable err of
// the function, in the head of its check, and a place sees that.
func (sc *handleScope) reuses(at token.Pos) (reused bool) {
	for call := range syntax.Nodes[*ast.CallExpr](syntax.List(sc.tail)) {
		if o := sc.outcome(call); at.IsValid() && sc.writesTo(call) && o.heads() && o.err != nil {
			reused = !syntax.IsDefine(o.check.Init) && o.err.Name() == "err" && sc.pass.lookup("err", at) == o.err
		}
	}
	return reused
}
