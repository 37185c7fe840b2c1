package bundle

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A system stands for all that build the same files of safeio.
type system struct {
	GOOS, GOARCH string
}

// systems are one of each kind: of those that have files of their own, and of those
// that share theirs.
var systems = []system{
	{"linux", "amd64"},   // Linux
	{"freebsd", "amd64"}, // other Unix systems that have flock
	{"solaris", "amd64"}, // Unix systems that have none
	{"windows", "amd64"}, // Windows
	{"js", "wasm"},       // the others
}

// A parsed declaration is one with its place in the source.
type parsedDecl struct {
	decl
	file       string
	start, end int // offsets in the file
}

// id is the file and the name.
func (d *parsedDecl) id() string { return d.file + " " + d.names[0] }

// A parsedLibrary is the source of safeio, taken apart.
type parsedLibrary struct {
	decls  []*parsedDecl // in the order of files and in these
	byName map[string][]*parsedDecl
}

// parseLibrary takes the files of safeio apart as copies have them: for callers that name Options or, which is plain,
// for those that do not.
func parseLibrary(files map[string][]byte) (*parsedLibrary, error) {
	lib := &parsedLibrary{byName: make(map[string][]*parsedDecl)}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := lib.add(name, files[name]); err != nil {
			return nil, err
		}
	}
	for _, d := range lib.decls {
		for _, name := range d.names {
			lib.byName[name] = append(lib.byName[name], d)
		}
	}
	return lib, nil
}

// faster are the files of which a copy does without: each saves Linux a few system calls
// where the same can be said with package os, which the other file does. That is then
// built by these systems.
var faster = map[string]struct{ instead, build string }{
	"bare_linux.go": {"bare_other.go", ""},
}

// sources are the files that copies are made of, reduced.
func sources(plain bool) (map[string][]byte, error) {
	names, err := filepath.Glob("../../safeio/*.go")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if files[filepath.Base(name)], err = reduce(name, src, plain); err != nil {
			return nil, err
		}
	}
	for name, f := range faster {
		delete(files, name)
		_, rest, _ := bytes.Cut(files[f.instead], []byte("\npackage "))
		rest = append([]byte("package "), rest...)
		if f.build != "" {
			rest = append([]byte("//go:build "+f.build+"\n\n"), rest...)
		}
		files[f.instead] = rest
	}
	return files, nil
}

// built are the kinds of systems that build a file.
func built(name string, src []byte) (kinds, error) {
	var on kinds
	for i, s := range systems {
		ok, err := s.context(map[string][]byte{name: src}).MatchFile("", name)
		if err != nil {
			return 0, err
		}
		if ok {
			on |= 1 << i
		}
	}
	return on, nil
}

// context is how files are built on a system, which are these.
func (s system) context(files map[string][]byte) *build.Context {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = s.GOOS, s.GOARCH, false, nil
	ctx.OpenFile = func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(files[path.Base(name)]))), nil
	}
	return &ctx
}

// add takes the declarations of a file apart.
func (l *parsedLibrary) add(name string, src []byte) error {
	on, err := built(name, src)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	p := &fileParser{name: name, src: src, on: on, tok: fset.File(f.Pos()), f: f}
	for _, d := range f.Decls {
		p.decl(d)
	}
	l.decls = append(l.decls, p.decls...)
	return nil
}

func newDecl(kind string, names ...string) *parsedDecl {
	return &parsedDecl{decl: decl{kind: kind, names: names}}
}

type fileParser struct {
	name  string
	src   []byte
	on    kinds
	tok   *token.File
	f     *ast.File
	decls []*parsedDecl
}

func (p *fileParser) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		fn := newDecl("func", name)
		fn.exports = results(d.Type)
		p.put(fn, d)
		fn.text = p.oneLine(d, fn.text)
	case *ast.GenDecl:
		switch {
		case d.Tok == token.IMPORT:
		case d.Tok == token.TYPE && !d.Lparen.IsValid():
			it := newDecl("type", declared(d.Specs...)...)
			p.put(it, d)
			if slices.Contains(it.names, Options) {
				p.options(it, d)
			}
		case d.Tok == token.CONST && implied(d):
			p.constants(d)
		default:
			for _, spec := range d.Specs {
				it := newDecl(d.Tok.String(), declared(spec)...)
				if p.put(it, spec); d.Tok == token.TYPE {
					it.text = "type " + it.text
				}
			}
		}
	}
}

// put completes a declaration, unless it declares nothing that has a name.
func (p *fileParser) put(d *parsedDecl, n ast.Node) {
	d.names = slices.DeleteFunc(d.names, func(name string) bool { return name == "_" })
	if len(d.names) == 0 {
		return
	}
	start := n.Pos()
	d.file, d.kinds = p.name, p.on
	d.start, d.end = p.tok.Offset(start), p.tok.Offset(n.End())
	d.text = p.withoutComments(start, n.End())
	paths := make(map[string]string)
	for _, spec := range p.f.Imports {
		if of, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths[path.Base(of)] = of
		}
	}
	for _, id := range p.f.Unresolved {
		if of := paths[id.Name]; of != "" && start <= id.Pos() && id.Pos() < n.End() && !slices.Contains(d.imports, of) {
			d.imports = append(d.imports, of)
		}
	}
	p.decls = append(p.decls, d)
}

// options makes each field of Options a declaration, which a copy has or has not.
func (p *fileParser) options(of *parsedDecl, d *ast.GenDecl) {
	of.text = "type " + Options + " struct {"
	for _, f := range d.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List {
		p.put(newDecl("field", Options+"."+f.Names[0].Name), f)
	}
}

// constants makes one declaration of constants that have their values of each other: a
// type, where the text of a copy is concerned, since they need their own parentheses.
func (p *fileParser) constants(d *ast.GenDecl) {
	p.put(newDecl("type", declared(d.Specs...)...), d)
}

// oneLine is the text of a function, on one line if it does one thing.
func (p *fileParser) oneLine(d *ast.FuncDecl, text string) string {
	if len(d.Body.List) != 1 || strings.Count(text, "\n") != 2 {
		return text
	}
	head, rest, _ := strings.Cut(text, "\n")
	body, end, _ := strings.Cut(rest, "\n")
	return head + " " + strings.TrimSpace(body) + " " + end
}

// withoutComments is the source between two places. Lines that hold nothing but
// comments go whole.
func (p *fileParser) withoutComments(start, end token.Pos) string {
	var out strings.Builder
	last := p.tok.Offset(start)
	for _, group := range p.f.Comments {
		for _, c := range group.List {
			if c.Pos() < start || end <= c.Pos() {
				continue
			}
			from, to := p.tok.Offset(c.Pos()), p.tok.Offset(c.End())
			before := strings.TrimRight(string(p.src[last:from]), " \t")
			if strings.HasSuffix(before, "\n") && p.src[to] == '\n' {
				to++
			}
			out.WriteString(before)
			last = to
		}
	}
	out.Write(p.src[last:p.tok.Offset(end)])
	return compact(out.String())
}

var (
	// blankLines have set comments apart.
	blankLines = regexp.MustCompile(`\n[ \t]*\n`)
	// element is a line that ends between two elements of a list.
	element = regexp.MustCompile(`^\t+[^{}]*,$`)
)

// compact is a declaration without what blank lines are left of its comments, and with
// the elements of its lists on as few lines as they need: a comma can end a line or not.
func compact(text string) string {
	if strings.Contains(text, "`") {
		return text
	}
	const width = 120
	var lines []string
	for line := range strings.SplitSeq(blankLines.ReplaceAllString(text, "\n"), "\n") {
		last := len(lines) - 1
		if last >= 0 && element.MatchString(lines[last]) && !strings.Contains(line, "{") && len(lines[last])+len(line) < width {
			lines[last] += " " + strings.TrimSpace(line)
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// receiver is the name of the type of a receiver.
func receiver(t ast.Expr) string {
	name := ""
	ast.Inspect(t, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// results are the exported types that a function gives its caller.
func results(t *ast.FuncType) []string {
	var types []string
	if t.Results == nil {
		return nil
	}
	ast.Inspect(t.Results, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			if n.IsExported() {
				types = append(types, n.Name)
			}
		}
		return true
	})
	return types
}

func declared(specs ...ast.Spec) []string {
	var names []string
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// implied reports whether the constants of a group have their values of each other.
func implied(d *ast.GenDecl) bool {
	found := false
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		found = found || len(v.Values) == 0
		ast.Inspect(v, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == "iota"
			return !found
		})
	}
	return found
}
