// Package prove knows whether the end state that a check asks for can be reached: it
// proves so on syntax and types, and says what has to change, or it refuses and says
// why. It is pure: nothing is changed, and nothing is laid out, while it proves. It
// knows nothing of edits, and nothing of how findings are made.
package prove

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/syntax"
)

// Pass is the package that is fixed.
type Pass struct {
	Fset  *token.FileSet
	Pkg   *types.Package
	Info  *types.Info
	Files []*ast.File
	// ReadFile gives the source text that Files were parsed from.
	ReadFile func(string) ([]byte, error)
	// SafeioPath is the import path of package safeio in fixed code.
	SafeioPath string
	// Replacers are functions of the program that do what safeio.WriteFile does, best first; nil
	// where there is nobody who knows.
	Replacers func() []*types.Func
	// ByName are functions of the program that do nearly that: two at once have one temporary file.
	ByName func() []*types.Func
	// Ends says which functions of the program never return; nil where there is nobody who knows.
	Ends func(*types.Func) bool
}

// A File is one source file of the package.
type File struct {
	pass Pass
	file *ast.File
	tok  *token.File
	text []byte

	safeio string // the name under which fixed code calls package safeio
	added  bool   // the file must import it

	owners   map[*ast.BlockStmt]*ast.FuncType
	taken    map[string]bool // names that are no longer free, see takenNames
	remedies map[reflect.Type]remedy

	noSync  bool              // what is proven is that of [finding.Unsynced]
	whole   string            // the function of safeio that replaces a file as a whole, then
	imports map[string]string // packages of the program that it must import, by name
}

// New is a file of the package, with its text.
func New(pass Pass, file *ast.File, text []byte) *File {
	f := &File{pass: pass, file: file, tok: pass.Fset.File(file.FileStart), text: text}
	f.taken = takenNames(pass, file)
	f.safeio, f.added = safeioName(pass, file, f.taken)
	f.owners, f.remedies = owners(file), remedies()
	f.imports = map[string]string{}
	return f
}

// Safeio is the name under which fixed code calls package safeio, and whether the file
// has to import it under that name.
func (s *File) Safeio() (name string, added bool) { return s.safeio, s.added }

// imported is the name under which the file imports a package, and nothing else stands at a position; empty where
// there is none.
func (s *File) imported(path string, at token.Pos) string {
	for _, spec := range s.file.Imports {
		name := ImportName(s.pass, spec)
		if pkg, ok := s.pass.lookup(name, at).(*types.PkgName); ok && pkg.Imported().Path() == path {
			return name
		}
	}
	return ""
}

// A Proof is an end state that can be reached, and what has to change for it.
type Proof struct {
	Message string
	// Temp is the end of the name of a temporary file that is no longer made, if it is written
	// out.
	Temp string
	// Leaves says that a file stays which is removed.
	Leaves bool
	// Doubt is what somebody has to decide before it is made; empty for nothing.
	Doubt string

	swaps []rewrite.Edit
	tree  *rewrite.Tree
	ops   []rewrite.Op
}

// Edits make the end state. They are not formatted where they are swaps, and leave the
// imports as they are.
func (p *Proof) Edits() ([]rewrite.Edit, error) {
	if p.tree == nil {
		return p.swaps, nil
	}
	edits, err := p.tree.Apply(p.ops...)
	return append(edits, p.swaps...), err
}

// swapped is the proof of calls that are swapped for others.
func (s *File) swapped(message string, from, to token.Pos, src string) *Proof {
	return &Proof{Message: message, swaps: []rewrite.Edit{{Start: s.offset(from), End: s.offset(to), New: src}}}
}

// rewritten is the proof of changes of the declaration around a node. It refuses code
// that would not come back as it is.
func (s *File) rewritten(message string, n ast.Node, ops ...rewrite.Op) (*Proof, error) {
	for _, d := range s.file.Decls {
		if d.Pos() > n.Pos() || n.End() > d.End() {
			continue
		}
		from, to := s.offset(d.Pos()), s.offset(d.End())
		if from > to || s.lineStart(from) != from {
			break
		}
		tree, err := rewrite.Parse(s.text, from, to, s.offset)
		switch {
		case errors.Is(err, rewrite.ErrLines), errors.Is(err, rewrite.ErrLayout):
			return nil, Refusal(err.Error())
		case err != nil:
			return nil, Refusal("the function cannot be taken apart")
		}
		return &Proof{Message: message, tree: tree, ops: ops}, nil
	}
	return nil, Refusal("the function is not known")
}

// owners maps the bodies of a file to their signatures.
func owners(file *ast.File) map[*ast.BlockStmt]*ast.FuncType {
	m := make(map[*ast.BlockStmt]*ast.FuncType)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				m[n.Body] = n.Type
			}
		case *ast.FuncLit:
			m[n.Body] = n.Type
		}
		return true
	})
	return m
}

// offset is the place of a position in the text.
func (s *File) offset(p token.Pos) int { return s.tok.Offset(p) }

// of is the text of a node.
func (s *File) of(n ast.Node) string { return s.between(n.Pos(), n.End()) }

// between is the text between two positions.
func (s *File) between(from, to token.Pos) string {
	return string(s.text[s.offset(from):s.offset(to)])
}

func (s *File) lineStart(at int) int { return bytes.LastIndexByte(s.text[:at], '\n') + 1 }

// alone reports whether nothing but white space stands in front of a position on its line.
func (s *File) alone(p token.Pos) bool {
	at := s.offset(p)
	return len(bytes.TrimSpace(s.text[s.lineStart(at):at])) == 0
}

// parted reports whether a blank line stands between two statements.
func (s *File) parted(a, b ast.Stmt) bool {
	return blankLine.MatchString(s.between(a.End(), b.Pos()))
}

var blankLine = pattern.New(`\n\s*\n`)

// A Refusal is the reason why a finding has no fix.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// remedies prove that the end states can be reached, each that of its type.
func remedies() map[reflect.Type]remedy {
	m := make(map[reflect.Type]remedy)
	row(m, (*File).replaceCall)
	row(m, (*File).replaceSaver)
	row(m, (*File).publishHandle)
	row(m, (*File).collapseTemp)
	row(m, (*File).syncTemp)
	row(m, (*File).flushPublished)
	row(m, (*File).spanLock)
	row(m, (*File).moveInside)
	row(m, (*File).dropRemoval)
	row(m, (*File).releaseLast)
	row(m, (*File).commitFile)
	row(m, (*File).surfaceError)
	return m
}

// A remedy proves that the end state which a remedy of its type asks for can be reached.
type remedy func(*File, finding.Remedy) (*Proof, error)

func row[R finding.Remedy](m map[reflect.Type]remedy, prove func(*File, R) (*Proof, error)) {
	m[reflect.TypeFor[R]()] = func(s *File, r finding.Remedy) (*Proof, error) { return prove(s, r.(R)) }
}

// Prove proves that the end state of a remedy can be reached, or says why not.
func (s *File) Prove(r finding.Remedy) (*Proof, error) {
	if at := r.Place(); at < s.file.FileStart || s.file.FileEnd <= at {
		return nil, Refusal("it stands in another file")
	}
	unsynced, ok := r.(finding.Unsynced)
	if s.noSync, s.whole = ok, s.safeio+".WriteFile"; ok {
		r, s.whole = unsynced.Remedy, s.whole+"NoSync"
	}
	if prove, ok := s.remedies[reflect.TypeOf(r)]; ok {
		return prove(s, r)
	}
	return nil, Refusal("no edit is known for it")
}

// octal writes an octal number as the file does.
func (s *File) octal(number string) string { return syntax.Octal(number, s.file, s.pass.Files) }

// proveOr is Prove of the other end state where the first cannot be reached, if there is one.
func (s *File) proveOr(p *Proof, err error, other finding.Remedy) (*Proof, error) {
	if err != nil && other != nil {
		return s.Prove(other)
	}
	return p, err
}
