package supply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/syntax"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// A linting is what the configuration of golangci-lint says of imports, in the places of its first
// version and of its second.
type linting []onImports

type onImports struct {
	Depguard struct {
		Rules map[string]struct {
			Deny []struct{ Pkg string }
		}
	}
	Gci struct {
		Sections    []string
		CustomOrder bool `yaml:"custom-order"`
	}
	Goimports struct {
		LocalPrefixes any `yaml:"local-prefixes"` // a text in the first version, a list in the second
	}
}

// readLinting reads the configuration in a folder. It is empty where there is none that can be read:
// golangci-lint says what is wrong with it.
func readLinting(dir string) linting {
	var config struct {
		V1         onImports                    `yaml:"linters-settings"`
		Linters    struct{ Settings onImports } // of the second version
		Formatters struct{ Settings onImports }
	}
	for _, name := range []string{".golangci.yml", ".golangci.yaml"} {
		text, err := untrusted.ReadFile(filepath.Join(dir, name), untrusted.MaxYAML)
		if err == nil && untrusted.DecodeYAML(text, &config) == nil {
			return linting{config.V1, config.Linters.Settings, config.Formatters.Settings}
		}
	}
	return nil
}

// denied are the beginnings of the import paths that depguard denies, or the whole of those that end
// in a dollar sign.
func (l linting) denied() (list []string) {
	for _, of := range l {
		for _, rule := range of.Depguard.Rules {
			for _, deny := range rule.Deny {
				list = append(list, deny.Pkg)
			}
		}
	}
	return list
}

// Local is the beginning of the import paths of a module's own packages where those are kept in a group
// behind the others: where gci or goimports is told to or, if the module's files count, most of them do.
// It is empty where that is not so.
func Local(mod *packages.Module, count bool) string {
	if mod == nil {
		return ""
	}
	for _, of := range readLinting(mod.Dir) {
		sections := of.Gci.Sections
		for i, section := range sections {
			list, _ := strings.CutPrefix(section, "prefix(")
			if strings.EqualFold(section, "localmodule") {
				list = mod.Path
			} else if list == section {
				continue
			}
			if p := longest(mod, strings.TrimSuffix(list, ")")); p != "" && (!of.Gci.CustomOrder || i > slices.Index(sections, "default")) {
				return p
			}
		}
		switch is := of.Goimports.LocalPrefixes.(type) {
		case string:
			if p := longest(mod, is); p != "" {
				return p
			}
		case []any:
			for _, text := range is {
				if p, _ := text.(string); longest(mod, p) != "" {
					return p
				}
			}
		}
	}
	if count && apart(mod) {
		return mod.Path
	}
	return ""
}

// maxCounted is how many source files are read for the groups of their imports.
const maxCounted = 200

// apart reports whether more of a module's files have its own imports in a group of their own than in one
// with those of others.
func apart(mod *packages.Module) bool {
	fset := token.NewFileSet()
	var files []*ast.File
	// What cannot be read says nothing.
	_ = filepath.WalkDir(mod.Dir, func(path string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil || len(files) == maxCounted:
			return fs.SkipAll
		case !d.IsDir():
			if strings.HasSuffix(name, ".go") {
				if file, err := untrusted.ParseFile(fset, path, parser.ImportsOnly); err == nil {
					files = append(files, file)
				}
			}
		case path != mod.Dir && (noCode(name) || isModule(path)):
			return fs.SkipDir
		}
		return nil
	})
	return syntax.Apart(fset, files, func(path string) bool { return path == mod.Path || strings.HasPrefix(path, mod.Path+"/") }) > 0
}

// longest is the longest of a list of beginnings, with commas between them, that the path of a module
// has; empty for none.
func longest(mod *packages.Module, list string) (best string) {
	for p := range strings.SplitSeq(list, ",") {
		if p = strings.TrimSpace(p); strings.HasPrefix(mod.Path, p) && len(p) > len(best) {
			best = p
		}
	}
	return best
}
