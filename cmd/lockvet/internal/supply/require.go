package supply

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// require makes safeio a requirement of a module, if the go command can have it and the
// module can be built with it as it is: that is one line of go.mod, and two of go.sum.
func require(cfg load.Config, mod *packages.Module) (Supply, error) {
	d, err := cfg.Download(importPath)
	if err != nil {
		return Supply{}, err
	}
	if err := suits(d, goVersion(mod)); err != nil {
		return Supply{}, err
	}
	sum := strings.TrimSuffix(mod.GoMod, ".mod") + ".sum"
	for _, name := range []string{mod.GoMod, sum} {
		if err := untrusted.Inside(filepath.Dir(mod.GoMod), name); err != nil {
			return Supply{}, err
		}
	}
	if f, err := os.OpenFile(mod.GoMod, os.O_WRONLY, 0); err != nil {
		return Supply{}, err
	} else if err := f.Close(); err != nil {
		return Supply{}, err
	}
	s := Supply{ImportPath: importPath, Module: mod.Path, Go: goVersion(mod), Version: d.Version,
		Files: make(map[string][]byte)}
	goMod, err := untrusted.ReadFile(mod.GoMod, untrusted.MaxSource)
	if err != nil {
		return Supply{}, err
	}
	if s.Files[mod.GoMod], err = withRequirement(mod.GoMod, goMod, d); err != nil {
		return Supply{}, err
	}
	goSum, err := untrusted.ReadFile(sum, untrusted.MaxSource)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Supply{}, err
	}
	s.Files[sum] = withSums(goSum, d)
	// A module that vendors, a workspace that knows better: the go command has the last word.
	cfg.Overlay = s.Files
	if _, ok := cfg.Import(importPath); !ok {
		return Supply{}, fmt.Errorf("module %s cannot require %s", mod.Path, importPath)
	}
	return s, nil
}

// suits fails unless a version of safeio can be built with a version of Go, and has all
// that fixed code may call.
func suits(d *load.Download, version string) error {
	goMod, err := untrusted.ReadFile(d.GoMod, untrusted.MaxSource)
	if err != nil {
		return err
	}
	f, err := modfile.ParseLax(d.GoMod, goMod, nil)
	if err != nil {
		return err
	}
	if f.Go != nil && olderThan(version, f.Go.Version) {
		return fmt.Errorf("%s %s is of go %s", d.Path, d.Version, f.Go.Version)
	}
	names, err := bundle.Exported()
	if err != nil {
		return err
	}
	files, err := fs.Glob(os.DirFS(d.Dir), "*.go")
	if err != nil {
		return err
	}
	var have []string
	for _, name := range files {
		src, err := untrusted.ReadFile(filepath.Join(d.Dir, name), untrusted.MaxSource)
		if err != nil {
			return err
		}
		have = append(have, bundle.Declared(src)...)
	}
	for _, n := range names {
		if !slices.Contains(have, n) {
			return fmt.Errorf("%s %s has no %s", d.Path, d.Version, n)
		}
	}
	return nil
}

// withRequirement is a go.mod with one line more, among the direct requirements where
// there are some.
func withRequirement(name string, content []byte, d *load.Download) ([]byte, error) {
	f, err := modfile.Parse(name, content, nil)
	if err != nil {
		return nil, err
	}
	mentioned := slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool { return r.Old.Path == d.Path }) ||
		slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == d.Path })
	if mentioned {
		return nil, fmt.Errorf("%s has its own word on %s", name, d.Path)
	}
	line := &modfile.Line{Token: []string{modfile.AutoQuote(d.Path), d.Version}, InBlock: true}
	for _, stmt := range f.Syntax.Stmt {
		block, ok := stmt.(*modfile.LineBlock)
		if !ok || block.Token[0] != "require" || !slices.ContainsFunc(block.Line, direct) {
			continue
		}
		at := slices.IndexFunc(block.Line, func(l *modfile.Line) bool { return l.Token[0] > line.Token[0] })
		if at < 0 {
			at = len(block.Line)
		}
		block.Line = slices.Insert(block.Line, at, line)
		return modfile.Format(f.Syntax), nil
	}
	// Behind the last statement that says what the module is or requires alone.
	line.Token, line.InBlock = append([]string{"require"}, line.Token...), false
	at := 0
	for i, stmt := range f.Syntax.Stmt {
		if l, ok := stmt.(*modfile.Line); ok &&
			slices.Contains([]string{"module", "go", "toolchain", "require"}, l.Token[0]) {
			at = i + 1
		}
	}
	f.Syntax.Stmt = slices.Insert(f.Syntax.Stmt, at, modfile.Expr(line))
	return modfile.Format(f.Syntax), nil
}

// direct reports whether a line of a block of requirements is one that the module's own
// code imports.
func direct(l *modfile.Line) bool {
	return !slices.ContainsFunc(l.Suffix, func(c modfile.Comment) bool {
		return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(c.Token, "//")), "indirect")
	})
}

// withSums is a go.sum with two lines more.
func withSums(content []byte, d *load.Download) []byte {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(content) == 0 {
		lines = nil
	}
	for _, line := range []string{
		fmt.Sprintf("%s %s %s", d.Path, d.Version, d.Sum),
		fmt.Sprintf("%s %s/go.mod %s", d.Path, d.Version, d.GoModSum),
	} {
		if slices.Contains(lines, line) {
			continue
		}
		at := slices.IndexFunc(lines, func(l string) bool { return l > line })
		if at < 0 {
			at = len(lines)
		}
		lines = slices.Insert(lines, at, line)
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}
