package bundle

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// The versions of Go that a copy needs: as safeio is written, and with what stands in for newer parts
// of the standard library.
const (
	Library      = "1.21"
	OlderLibrary = "1.19"
)

// standIns are what an older library has instead of a newer part, and the declaration that this needs.
var standIns = []struct {
	newer *pattern.Pattern
	older string
	needs string
}{
	{pattern.New(`errors\.ErrUnsupported`), "errUnsupported", "errUnsupported"},
	{pattern.New(`errors\.Join\(`), "joined(", "joined"},
	{pattern.New(`fmt\.Errorf\("%w: %w", `), "both(", "both"},
	{pattern.New(`io\.NewOffsetWriter\((\w+), (\w+)\)`), "&offsetWriter{$1, $2}", "offsetWriter"},
	{pattern.New(`context\.Cause\(([\w.]+)\)`), "$1.Err()", ""},
	{pattern.New(`bytes\.Clone\(([^()]+)\)`), "append([]byte(nil), $1...)", ""},
}

// older are the declarations of what stands in, with the packages that they use.
var older = []struct{ name, imports, text string }{
	{"errUnsupported", "errors", `
// errUnsupported is what errors.ErrUnsupported is in Go 1.21.
var errUnsupported = errors.New("unsupported operation")
`},
	{"joined", "", `
// joined is what errors.Join is in Go 1.20.
func joined(errs ...error) (all error) {
	for _, err := range errs {
		switch {
		case all == nil:
			all = err
		case err != nil:
			all = pair{all, err, "\n"}
		}
	}
	return all
}
`},
	{"both", "", `
// both is an error of two, as fmt.Errorf has it in Go 1.20.
func both(err, other error) error { return pair{err, other, ": "} }
`},
	{"pair", "errors", `
// A pair is two errors.
type pair struct {
	err, other error
	between    string
}

func (p pair) Error() string { return p.err.Error() + p.between + p.other.Error() }

// Is reports whether one of them is target.
func (p pair) Is(target error) bool { return errors.Is(p.err, target) || errors.Is(p.other, target) }

// As finds the first that is a target.
func (p pair) As(target any) bool { return errors.As(p.err, target) || errors.As(p.other, target) }
`},
	{"offsetWriter", "io", `
// An offsetWriter is what io.OffsetWriter is in Go 1.20.
type offsetWriter struct {
	to io.WriterAt
	at int64
}

func (o *offsetWriter) Write(p []byte) (int, error) {
	n, err := o.to.WriteAt(p, o.at)
	o.at += int64(n)
	return n, err
}
`},
}

// backport writes a declaration for an older library, and notes what stands in there.
func (c *cutout) backport(text string) string {
	if c.stands == nil {
		return text
	}
	for _, s := range standIns {
		if s.newer.MatchString(text) {
			c.stands[s.needs] = true
			text = s.newer.ReplaceAllString(text, s.older)
		}
	}
	return text
}

// standing are the declarations of what stands in, and these imports with theirs.
func (c *cutout) standing(imports []string) (text string, all []string) {
	if c.stands["joined"] || c.stands["both"] {
		c.stands["pair"] = true
	}
	for _, d := range older {
		if c.stands[d.name] {
			text += d.text
			if d.imports != "" {
				imports = append(imports, d.imports)
			}
		}
	}
	return text, imports
}

// uses reports whether text names a package of this path.
func uses(text, path string) bool {
	return slices.Contains(qualifiers.FindAllString(text), path[strings.LastIndexByte(path, '/')+1:]+".")
}

var qualifiers = pattern.New(`\b\w+\.`)
