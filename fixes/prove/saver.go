package prove

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// replaceSaver turns
//
//	godotenv.Write(vars, path)
//	file.SaveTo(path)
//
// into
//
//	safeio.Replace(path, func(name string) error { return godotenv.Write(vars, name) })
//	safeio.Replace(path, file.SaveTo)
//
// and afero.WriteFile(fs, path, data, perm), where fs is the file system of the machine, into safeio.WriteFile.
// All have one error as their result, so the call may stand anywhere.
func (s *File) replaceSaver(r finding.ReplaceSaver) (*Proof, error) {
	fn := s.pass.callee(r.Call)
	sel, ok := ast.Unparen(r.Call.Fun).(*ast.SelectorExpr)
	if fn == nil || !ok {
		return nil, Refusal("the function that is called is not known before the program runs")
	}
	sc, as := s.scope(r.Body), sel.Sel.Name
	saver, _ := known.SaverOf(fn.FullName())
	name := sc.free(r.Call, "name", "temp", "newFile")
	switch {
	case saver.Disk != "" && sc.yieldedBy(r.Call.Args[0], saver.Disk):
		writer := s.writerAt(r.Call.Pos())
		sc.put(r.Call, writer+"("+s.between(r.Call.Args[1].Pos(), r.Call.End()))
		for _, arg := range r.Call.Args[1:] {
			sc.again = append(sc.again, arg)
		}
		sc.note(sc.dropUnused())
		return sc.plan("Replace the file with " + writer)
	case saver.Disk != "" || saver.Sets != "" && s.namesIn(fn.Pkg(), saver.Sets):
		return nil, refusef("%s writes into the file system that it is given: %s", as, known.Advice(fn.FullName()))
	case saver.MakesDir:
		return nil, refusef("%s makes the directory of the file, too: %s", as, known.Advice(fn.FullName()))
	case name == "" || saver.As != "" && !sc.isPure(sel.X):
		return nil, refusef("what %s is called on is computed twice, or there is no free name for the new file", as)
	}
	message := "Have " + s.safeio + ".Replace replace the file by what " + as + " writes"
	put := func(src string) *Proof {
		return s.swapped(message, r.Call.Pos(), r.Call.End(), s.safeio+".Replace("+src+")")
	}
	if saver.As != "" {
		if asked := s.errorOf(fn.Pkg(), r.Body); asked != nil {
			return nil, refusef("the function asks for a %s, at %s, and %s.Replace has another error where no file has been named or read",
				asked.Name, s.place(asked), s.safeio)
		}
		on := s.of(sel.X)
		p := put(on + ".ConfigFileUsed(), " + on + "." + saver.As)
		p.Doubt = "where no file has been named or read, " + as + " looks for one, and " + saver.As + " is given none"
		return p, nil
	}
	row, _ := known.Lookup(fn)
	at := row.A
	if selection := s.pass.Info.Selections[sel]; selection != nil && selection.Kind() == types.MethodVal {
		at-- // the receiver is no argument
	}
	path := r.Call.Args[at]
	if len(r.Call.Args) == 1 {
		return put(s.of(path) + ", " + s.of(r.Call.Fun)), nil
	}
	call := s.between(r.Call.Pos(), path.Pos()) + name + s.between(path.End(), r.Call.End())
	return put(s.of(path) + ", func(" + name + " string) error { return " + call + " }"), nil
}

// yieldedBy reports whether an expression is the result of a function, or a variable of the body that gets it, and
// nothing else.
func (sc *handleScope) yieldedBy(e ast.Expr, full string) bool {
	if obj := sc.pass.object(e); obj != nil && !sc.assigned(obj, sc.body.Pos(), sc.body.End()) {
		e = sc.value(obj)
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := sc.pass.callee(call)
	return fn != nil && fn.FullName() == full
}

// errorOf is the first name in a body of a type of a package that is an error; nil for none.
func (s *File) errorOf(pkg *types.Package, body *ast.BlockStmt) *ast.Ident {
	isError := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for id := range syntax.Nodes[*ast.Ident](body) {
		if t, ok := s.pass.Info.Uses[id].(*types.TypeName); ok && t.Pkg() == pkg && types.Implements(t.Type(), isError) {
			return id
		}
	}
	return nil
}

// namesIn reports whether the package calls a function or a method of another one by that name.
func (s *File) namesIn(pkg *types.Package, name string) bool {
	return slices.ContainsFunc(s.pass.Files, func(f *ast.File) bool {
		return syntax.Some(f, func(id *ast.Ident) bool {
			obj := s.pass.Info.Uses[id]
			return id.Name == name && obj != nil && obj.Pkg() == pkg
		})
	})
}
