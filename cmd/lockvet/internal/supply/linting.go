package supply

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/tools/go/packages"
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
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && yaml.Unmarshal(text, &config) == nil {
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

// Local is the beginning of the import paths of a module's own packages where gci or goimports keeps
// those in a group behind the others, empty where neither is told to.
func Local(mod *packages.Module) string {
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
	return ""
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
