package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// probe makes test binaries in which the readers of the files at stake tell what they return. Where one cannot be
// made, the readers of the package stay silent.
func (s *Session) probe(ctx context.Context, claims []Claim) error {
	readers := map[Frame]bool{}
	var pkgs []*testPackage
	for _, c := range claims {
		for _, x := range chosen(c) {
			plans, _ := s.plans(c, x)
			for _, a := range plans {
				for _, f := range a.readers() {
					readers[f] = true
				}
				if !slices.Contains(pkgs, a.run.pkg) {
					pkgs = append(pkgs, a.run.pkg)
				}
			}
		}
	}
	overlay, err := s.probeOverlay(readers)
	if err != nil || overlay == "" {
		return err
	}
	binaries, _, err := s.build(ctx, pkgs, overlay)
	for _, pkg := range pkgs {
		pkg.probed = binaries[pkg]
	}
	return err
}

// readers are the frames of the functions that read the file at stake, in the test of the plan.
func (a plan) readers() []Frame {
	var list []Frame
	for _, o := range a.run.ops() {
		if o.opens() && !o.writes() && o.path == a.path() && o.test == a.anchor.test {
			for _, f := range o.stack {
				if !f.test() {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// probeOverlay is the overlay of the session with the files of the readers; empty where no reader returns an error.
func (s *Session) probeOverlay(readers map[Frame]bool) (string, error) {
	content, err := os.ReadFile(s.overlay)
	if err != nil {
		return "", err
	}
	var list struct{ Replace map[string]string }
	if err := json.Unmarshal(content, &list); err != nil {
		return "", err
	}
	files := map[string][]Frame{}
	for f := range readers {
		files[f.File] = append(files[f.File], f)
	}
	before := len(list.Replace)
	for file, frames := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			continue // a generated file: its functions stay silent
		}
		probed, ok := probeFile(file, source, frames)
		if !ok {
			continue
		}
		name := filepath.Join(s.work, "reader-"+strconv.Itoa(len(list.Replace))+"-"+filepath.Base(file))
		if err := os.WriteFile(name, probed, 0o600); err != nil {
			return "", err
		}
		list.Replace[file] = name
	}
	if len(list.Replace) == before {
		return "", nil
	}
	if content, err = json.Marshal(list); err != nil {
		return "", err
	}
	overlay := filepath.Join(s.work, "readers.json")
	return overlay, errors.Join(os.WriteFile(overlay, content, 0o600))
}

// probeFile has the functions of a file around the frames tell what error they return, on the lines on which they
// are: the sites stay where they are. It reports false where none of them returns one.
func probeFile(file string, source []byte, frames []Frame) ([]byte, bool) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || strings.Contains(string(source), "import \"C\"") {
		return nil, false
	}
	type insertion struct {
		at   int
		text string
	}
	var texts []insertion
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name := ""
		for _, f := range frames {
			if fset.Position(fn.Body.Lbrace).Line <= f.Line && f.Line <= fset.Position(fn.Body.Rbrace).Line {
				if name = f.Func; !strings.Contains(name, ".func") {
					break
				}
				name = ""
			}
		}
		result, named := errorResult(fn.Type)
		if name == "" || result == "" {
			continue
		}
		if !named {
			results := fn.Type.Results
			if !results.Opening.IsValid() {
				texts = append(texts, insertion{offset(results.Pos()), "("}, insertion{offset(results.End()), ")"})
			}
			for i, r := range results.List {
				label := "_ "
				if i == len(results.List)-1 {
					label = result + " "
				}
				texts = append(texts, insertion{offset(r.Pos()), label})
			}
		}
		texts = append(texts, insertion{offset(fn.Body.Lbrace) + 1,
			fmt.Sprintf(" defer func() { lockvetWitness.WitnessAnswer(%q, %s) }();", name, result)})
	}
	if len(texts) == 0 {
		return nil, false
	}
	texts = append(texts, insertion{offset(tree.Name.End()), "; import lockvetWitness \"os\""})
	slices.SortStableFunc(texts, func(a, b insertion) int { return a.at - b.at })
	var out []byte
	done := 0
	for _, t := range texts {
		out = append(append(out, source[done:t.at]...), t.text...)
		done = t.at
	}
	return append(out, source[done:]...), true
}

// errorResult is the name of the last result of a function if that is an error, and whether it has the name in the
// source; empty where it is none, or where it cannot be told.
func errorResult(fn *ast.FuncType) (name string, named bool) {
	if fn.Results == nil {
		return "", false
	}
	list := fn.Results.List
	last := list[len(list)-1]
	id, ok := last.Type.(*ast.Ident)
	if !ok || id.Name != "error" {
		return "", false
	}
	if len(last.Names) == 0 {
		return "lockvetErr", false
	}
	name = last.Names[len(last.Names)-1].Name
	if name == "_" {
		return "", false
	}
	return name, true
}
