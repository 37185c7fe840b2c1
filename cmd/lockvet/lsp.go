package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// lsp serves the editor that has started the program.
func (c command) lsp(args []string) (int, error) {
	if _, err := c.newEngine(args); err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.serve(ctx, os.Stdin, os.Stdout, args)
	switch {
	case errors.Is(err, lsp.ErrNoShutdown):
		c.complain("%v", err)
		return exitFindings, nil // which is the exit code that the protocol wants
	case errors.Is(err, context.Canceled):
		return exitClean, nil // it was asked to end
	}
	return exitClean, err
}

// serve serves one editor.
func (c command) serve(ctx context.Context, r io.Reader, w io.WriteCloser, args []string) error {
	return lsp.Serve(ctx, r, w, lsp.Config{
		Version: moduleVersion(),
		NewEngine: func(flags []string) (lsp.Engine, error) {
			return c.newEngine(slices.Concat(args, flags))
		},
	})
}

// An engine analyses packages for an editor, each time as the command would.
type engine struct {
	command
	args   []string // flags
	within string   // the folder outside of which nothing is analysed, empty for none
	others []string // folders of code that others wrote: of the standard library, and of modules

	paths map[string]string // import paths of packages that were analysed, by folder
}

// meaningless are the flags that have no meaning in an editor: it shows what is found in
// its own way, and has its own way to fix it.
var meaningless = []string{
	"fix", "commit", "summary", "diff", "format", "json", "sarif", "html", "explain", "checks", "baseline-write", "all", "v", "version",
}

func (c command) newEngine(args []string) (*engine, error) {
	c.stdout, c.stderr = io.Discard, io.Discard                             // the editor is told what it has to know
	o, err := c.parse(slices.Concat([]string{"-config=" + noConfig}, args)) // the one of each module is read then
	switch {
	case err != nil:
		return nil, err
	case !slices.Equal(o.patterns, []string{"."}):
		return nil, fmt.Errorf("lockvet lsp analyses the packages of the files that are opened: it takes no %s", o.patterns[0])
	}
	for _, name := range meaningless {
		if o.given[name] {
			return nil, fmt.Errorf("-%s has no meaning for lockvet lsp", name)
		}
	}
	e := &engine{command: c, args: args, paths: make(map[string]string)}
	if o.given["C"] {
		e.within = o.dir
	}
	if out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output(); err == nil {
		e.others = strings.Fields(string(out))
	}
	return e, nil
}

// Root is the folder of the module that a file belongs to.
func (e *engine) Root(file string) (string, error) {
	if e.within != "" && !inside(file, e.within) {
		return "", fmt.Errorf("it is not in %s", e.within)
	}
	if slices.ContainsFunc(e.others, func(dir string) bool { return inside(file, dir) }) {
		return "", errors.New("it is not of a module that you work on")
	}
	root := upwards(filepath.Dir(file), "go.mod")
	if root == "" {
		return "", errors.New("there is no go.mod in its folder or above")
	}
	return root, nil
}

// inside reports whether a name is that of a file in a folder, or below.
func inside(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// session is a run over packages of a module.
func (e *engine) session(ctx context.Context, root string, folders ...string) (*session, error) {
	o, err := e.parse(append(slices.Clone(e.args), "-C="+root))
	if err != nil {
		return nil, err
	}
	o.patterns = nil
	for _, dir := range folders {
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		if p := "./" + filepath.ToSlash(rel); !slices.Contains(o.patterns, p) {
			o.patterns = append(o.patterns, p)
		}
	}
	s := e.newSession(o)
	s.load.Context = ctx
	s.gate.Chosen = true
	return s, nil
}

// Analyse looks at the packages in folders of a module, and at what imports them.
func (e *engine) Analyse(ctx context.Context, root string, folders []string, importers bool) (*lsp.Analysis, error) {
	s, err := e.session(ctx, root, folders...)
	if err != nil {
		return nil, err
	}
	s.quick = true
	if importers {
		var paths []string
		for _, dir := range folders {
			if path, ok := e.paths[dir]; ok {
				paths = append(paths, path)
			}
		}
		graph, err := s.load.ImportGraph()
		if s.patterns = graph.Importers(paths); err != nil || len(s.patterns) == 0 {
			return &lsp.Analysis{}, err
		}
	}
	t, err := s.analyse()
	if err != nil {
		return nil, err
	}
	t.found = s.narrow(t.found, t)
	s.gate.Withhold(t.found)
	a := &lsp.Analysis{Printer: s.printer, Folders: slices.Clone(folders)}
	for _, p := range t.pkgs {
		for _, name := range p.GoFiles {
			a.Folders = append(a.Folders, filepath.Dir(name))
			e.paths[filepath.Dir(name)] = load.BasePath(p)
		}
	}
	slices.Sort(a.Folders)
	a.Folders = slices.Compact(a.Folders)
	s.recallProofs(t.found)
	doc := s.printer.Document(slices.DeleteFunc(slices.Clone(t.found), s.quiet), nil, s.gaveUp)
	a.Findings = doc.Findings
	for i, f := range s.printer.Document(t.found, nil, nil).Findings {
		if f.Fix != nil && s.quiet(t.found[i]) {
			a.Quiet = append(a.Quiet, f)
		}
	}
	for _, p := range t.problems {
		a.Problems = append(a.Problems, "what does not compile is not analysed: "+s.printer.Paths(p.String()))
	}
	a.Problems = append(a.Problems, doc.GaveUpLines()...)
	return a, nil
}

// Fix is the patch of lockvet -fix for one finding alone.
func (e *engine) Fix(ctx context.Context, root string, f *report.Finding) ([]repair.Change, error) {
	printer := report.Printer{Dir: root}
	folders := []string{filepath.Dir(printer.Abs(f.Pos.File))}
	for _, edit := range f.Fix.Edits {
		folders = append(folders, filepath.Dir(printer.Abs(edit.File)))
	}
	s, err := e.session(ctx, root, folders...)
	if err != nil {
		return nil, err
	}
	s.fix, s.baseline, s.since = true, "", ""
	t, err := s.analyse()
	if err != nil {
		return nil, err
	}
	doc := s.printer.Document(t.found, nil, nil)
	i := slices.IndexFunc(doc.Findings, func(g report.Finding) bool { return g.Category == f.Category && *g.Pos == *f.Pos })
	if i < 0 {
		return nil, fmt.Errorf("%s:%d: %s is not found there any more", f.Pos.File, f.Pos.Line, f.Category)
	}
	// The repair works on what it is told of, and leaves out what is not to be fixed.
	t.found = t.found[i : i+1]
	t.out = func(*analyse.Found) bool { return true }
	out, err := s.endState(t)
	switch {
	case err != nil:
		return nil, err
	case len(out.PutBack) > 0:
		return nil, errors.New(s.printer.Paths(describePutBack(out.PutBack[0])))
	case len(s.gate.Obstacles()) > 0:
		return nil, errors.New(s.printer.Paths(s.gate.Obstacles()[0]))
	case len(out.Fixed) == 0:
		return nil, fmt.Errorf("it cannot be fixed: %s", cmp.Or(t.found[0].NoFix, "no edit is left"))
	}
	return out.Changes, nil
}

// Why is the text of lockvet why.
func (e *engine) Why(ctx context.Context, root, file string, n int) (string, error) {
	s, err := e.session(ctx, root)
	if err != nil {
		return "", err
	}
	answer, err := s.answer(line{file, n})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = answer.text(&out, 0)
	return out.String(), err
}
