package load

import (
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/pattern"
)

// A front end is built after the checkout, and the program that embeds it does not compile before. Its types do not
// depend on what is embedded, so that any file will do.

// noEmbedded is what the go command says of a pattern of go:embed that no file matches.
var noEmbedded = pattern.New(`^pattern (?:all:)?(\S+): (?:no matching files found|cannot embed directory \S+: contains no embeddable files)$`)

// standIn is the name of the file that stands for those of a directory.
const standIn = "lockvet"

// embeds loads the packages with files in place of those that they embed and that are not there.
func (c *Config) embeds(pkgs []*packages.Package, load func(Config) ([]*packages.Package, error)) []*packages.Package {
	for {
		with := *c
		with.Overlay = unembedded(pkgs)
		maps.Copy(with.Overlay, c.Overlay)
		if len(with.Overlay) == len(c.Overlay) {
			return pkgs // the go command tells of one pattern of a package at a time
		}
		again, err := load(with)
		if err != nil {
			return pkgs
		}
		*c, pkgs = with, again
	}
}

// unembedded are files that patterns of go:embed would match, for those that match none.
func unembedded(pkgs []*packages.Package) map[string][]byte {
	files := make(map[string][]byte)
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			m := noEmbedded.FindStringSubmatch(e.Msg)
			if m == nil || len(p.GoFiles) == 0 || strings.ContainsAny(m[1], `[\`) {
				continue
			}
			name := strings.NewReplacer("*", standIn, "?", "x").Replace(m[1])
			if filepath.Ext(name) == "" {
				name += "/" + standIn // what has no extension may be a directory
			}
			files[filepath.Join(filepath.Dir(p.GoFiles[0]), filepath.FromSlash(name))] = []byte{}
		}
	})
	return files
}
