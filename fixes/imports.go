package fixes

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/fixes/prove"
	"github.com/lockvet/lockvet/internal/syntax"
)

// unusedImports are the imports, by index, that the edits leave without a use.
// The fixed text is parsed only where every use of an import is edited: what is
// written there instead can use it again.
func (s *source) unusedImports(edits []edit) ([]int, error) {
	var unused, doubtful []int
	for i, spec := range s.file.Imports {
		switch prove.ImportName(s.pass, spec) {
		case "_":
		default:
			if uses := s.usesOf(spec); len(uses) > 0 &&
				!slices.ContainsFunc(uses, func(id *ast.Ident) bool { return !s.edited(id, edits) }) {
				doubtful = append(doubtful, i)
			}
		}
	}
	if doubtful == nil {
		return unused, nil
	}
	after, err := qualifiers(s.apply(edits))
	if err != nil {
		return nil, refusal("the fixed code does not parse")
	}
	for _, i := range doubtful {
		if !after[prove.ImportName(s.pass, s.file.Imports[i])] {
			unused = append(unused, i)
		}
	}
	slices.Sort(unused)
	return unused, nil
}

// usesOf are the places where the file names what it imports.
func (s *source) usesOf(spec *ast.ImportSpec) []*ast.Ident {
	if s.pkgUses == nil {
		s.pkgUses = make(map[types.Object][]*ast.Ident)
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok {
					if pkg, ok := s.pass.Info.Uses[id].(*types.PkgName); ok {
						s.pkgUses[pkg] = append(s.pkgUses[pkg], id)
					}
				}
			}
			return true
		})
	}
	if spec.Name != nil {
		return s.pkgUses[s.pass.Info.Defs[spec.Name]]
	}
	return s.pkgUses[s.pass.Info.Implicits[spec]]
}

// qualifiers are the names x in expressions x.y that nothing in the file
// declares: those of imports.
func qualifiers(text []byte) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return nil, err
	}
	free := make(map[*ast.Ident]bool)
	for _, id := range file.Unresolved {
		free[id] = true
	}
	names := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && free[id] {
				names[id.Name] = true
			}
		}
		return true
	})
	return names, nil
}

// edited reports whether the edits replace the text of a node.
func (s *source) edited(n ast.Node, edits []edit) bool {
	from, to := s.offset(n.Pos()), s.offset(n.End())
	return slices.ContainsFunc(edits, func(e edit) bool { return e.start <= from && to <= e.end && e.start < e.end })
}

// importEdits adds what is called and missing, and takes the unused imports away. They depend on
// nothing else, so that equal changes are equal edits.
func (s *source) importEdits(unused []int, asked []string) ([]edit, error) {
	var edits []edit
	for _, i := range unused {
		edits = append(edits, s.dropImport(s.file.Imports[i]))
	}
	for _, text := range asked {
		e, err := s.addImport(text, unused)
		if err != nil {
			return nil, err
		}
		edits = together(edits, e)
	}
	return edits, nil
}

// together adds an edit; its text comes behind that of another of the same place.
func together(edits []edit, e edit) []edit {
	for i, other := range edits {
		if other.start == e.start && other.end == e.end {
			edits[i].text += e.text
			return edits
		}
	}
	return append(edits, e)
}

// addImport puts an import, as its text, into the group of the nearest path, in order, or behind the last import as
// a group of its own.
func (s *source) addImport(text string, unused []int) (edit, error) {
	path, _ := strconv.Unquote(text[strings.Index(text, `"`):])
	decl := s.lastImportDecl()
	switch {
	case decl == nil:
		return edit{}, refusal("its file has no import to stand beside")
	case !decl.Lparen.IsValid():
		at := s.nextLine(s.offset(decl.End()))
		return edit{at, at, "import " + text + "\n", s.tok}, nil
	}
	gone := func(spec *ast.ImportSpec) bool { return slices.Contains(unused, slices.Index(s.file.Imports, spec)) }
	group := s.nearestGroup(decl, path, gone)
	if group == nil {
		at := s.lineStart(s.offset(decl.Rparen))
		text = "\t" + text + "\n"
		if len(decl.Specs) > len(unused) && !s.blankBefore(at) {
			text = "\n" + text
		}
		return edit{at, at, text, s.tok}, nil
	}
	at := s.nextLine(s.offset(group[len(group)-1].End()))
	for i, spec := range group {
		switch {
		case prove.SpecPath(spec) < path:
			continue
		case i > 0 || spec.Doc == nil:
			at = s.lineStart(s.offset(spec.Pos()))
		case len(spec.Doc.List) > 1: // it explains this one, and is no heading: gofmt would leave it above the new one
			at = s.lineStart(s.offset(spec.Doc.Pos()))
			text += "\n"
		}
		break
	}
	return edit{at, at, "\t" + text + "\n", s.tok}, nil
}

// lastImportDecl prefers a declaration with parentheses.
func (s *source) lastImportDecl() *ast.GenDecl {
	var last *ast.GenDecl
	for _, d := range s.file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT || len(decl.Specs) == 0 {
			continue
		}
		if last == nil || decl.Lparen.IsValid() || !last.Lparen.IsValid() {
			last = decl
		}
	}
	return last
}

// nearestGroup is the run of imports that shares the longest beginning with a path, of two one without
// the standard library; nil if none shares its first element and none is outside the standard library,
// or if those of the package's own module have a run of their own in its other files.
func (s *source) nearestGroup(decl *ast.GenDecl, added string, gone func(*ast.ImportSpec) bool) []*ast.ImportSpec {
	var best []*ast.ImportSpec
	most, mixed := -1, false
	for _, group := range s.groups(decl) {
		std := slices.ContainsFunc(group, s.isStd)
		for _, spec := range group {
			if gone(spec) {
				continue
			}
			n := -1
			if !s.isStd(spec) {
				n = syntax.SharedElements(prove.SpecPath(spec), added)
			}
			if n > most || n == most && mixed && !std {
				best, most, mixed = group, n, std
			}
		}
	}
	own := syntax.SharedElements(s.pass.Pkg.Path(), added)
	apart := 0
	if own > 0 && 0 <= most && most < own {
		others := slices.DeleteFunc(slices.Clone(s.pass.Files),
			func(file *ast.File) bool { return file.FileStart == s.file.FileStart })
		apart = syntax.Apart(s.pass.Fset, others, func(path string) bool { return syntax.SharedElements(path, added) >= own })
	}
	if apart > 0 {
		return nil
	}
	return best
}

// isStd reports whether an import is one of the standard library, by its path.
func (s *source) isStd(spec *ast.ImportSpec) bool {
	first := syntax.FirstElement(prove.SpecPath(spec))
	return !strings.Contains(first, ".") && first != syntax.FirstElement(s.pass.SafeioPath)
}

func (s *source) groups(decl *ast.GenDecl) [][]*ast.ImportSpec { return syntax.Groups(s.tok, decl) }

// dropImport takes one import away. One that shares its line is kept for its
// side effects alone, which is never wrong.
func (s *source) dropImport(spec *ast.ImportSpec) edit {
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	for _, d := range s.file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && slices.Contains(decl.Specs, ast.Spec(spec)) && len(decl.Specs) == 1 &&
			!(decl.Lparen.IsValid() && s.added) {
			from, to = s.offset(decl.Pos()), s.offset(decl.End())
		}
	}
	begin, end := s.lineStart(from), s.lineEnd(to)
	if len(bytes.TrimSpace(s.text[begin:from]))+len(bytes.TrimSpace(s.text[to:end])) > 0 {
		return edit{s.offset(spec.Pos()), s.offset(spec.Path.Pos()), "_ ", s.tok}
	}
	return edit{begin, s.nextLine(end), "", s.tok}
}
