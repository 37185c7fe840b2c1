package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
)

// replaceCall turns
//
//	os.WriteFile(path, data, perm)
//	~~~~~~~~~~~~
//	safeio.WriteFile
//
// Both have the same signature, so the call may stand anywhere.
func (s *File) replaceCall(r finding.ReplaceCall) (*Proof, error) {
	if !s.pass.writesFile(r.Call) {
		return nil, Refusal("the write is not a call of os.WriteFile")
	}
	writer := s.writerAt(r.Call.Pos())
	return s.swapped("Replace the file with "+writer, r.Call.Fun.Pos(), r.Call.Fun.End(), writer), nil
}

// writesFile reports whether a call is one of os.WriteFile, under any name.
func (p Pass) writesFile(call *ast.CallExpr) bool {
	return p.calls(call, "os", "WriteFile") || p.calls(call, "io/ioutil", "WriteFile")
}

// writerAt is the function that fixed code calls at a place to replace a file as a whole: the
// program's own where it has one, or that of safeio.
func (s *File) writerAt(at token.Pos) string {
	if s.pass.Replacers != nil {
		list := s.pass.Replacers()
		for _, imported := range []bool{true, false} { // what the file has already comes first
			for _, fn := range list {
				if name := s.named(fn, at, imported); name != "" {
					return name
				}
			}
		}
	}
	return s.safeio + ".WriteFile"
}

// named is how a place calls a function of the program, of a package that the file imports
// already or that it has to; empty where it cannot.
func (s *File) named(fn *types.Func, at token.Pos, imported bool) string {
	if fn.Pkg() == s.pass.Pkg {
		around := s.declaringAt(at, at)
		if s.pass.lookup(fn.Name(), at) != types.Object(fn) || around != nil && s.pass.Info.Defs[around.Name] == fn {
			return ""
		}
		return fn.Name()
	}
	for _, spec := range s.file.Imports {
		if name := ImportName(s.pass, spec); specPath(spec) == fn.Pkg().Path() {
			if pkg, ok := s.pass.lookup(name, at).(*types.PkgName); ok && imported && pkg.Imported().Path() == fn.Pkg().Path() {
				return name + "." + fn.Name()
			}
			return ""
		}
	}
	name := fn.Pkg().Name()
	if imported || s.taken[name] || slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool { return ImportName(s.pass, spec) == name }) {
		return ""
	}
	s.imports[name] = fn.Pkg().Path()
	return name + "." + fn.Name()
}

// Imports are the packages of the program that fixed code of the file calls and the file does not
// import yet, by the name under which it does.
func (s *File) Imports() map[string]string { return s.imports }
