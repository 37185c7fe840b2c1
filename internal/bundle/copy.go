package bundle

import (
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// A part is a file of a copy: its name, the kinds of systems that build it, and the
// build line that says so where the name does not.
type part struct {
	name  string
	on    kinds
	build string
}

// parts are the files that a copy can have, those before others that do with less.
var parts = []part{
	{First, onEverything, ""},
	{"safeio_unix.go", onUnix, "unix"},
	{"safeio_linux.go", onLinux, ""},
	{"safeio_notlinux.go", onFlock | onNoFlock, "unix && !linux"},
	{"safeio_bsd.go", onFlock, "darwin || dragonfly || freebsd || illumos || netbsd || openbsd"},
	{"safeio_sysv.go", onNoFlock, "aix || (solaris && !illumos)"},
	{"safeio_windows.go", onWindows, ""},
	{"safeio_other.go", onOthers, "!unix && !windows"},
}

// spread are the parts in which a declaration has to stand, so that each kind of
// system has it once.
func spread(on kinds) []int {
	var in []int
	for i, p := range parts {
		if p.on&^on == 0 {
			in, on = append(in, i), on&^p.on
		}
	}
	return in
}

// A cutout is what goes into a copy.
type cutout struct {
	*library
	needed  map[*decl]bool
	version string
	names   []string
	stands  map[string]bool // what stands in for newer parts of the library; nil where these are used
}

// Copy is the source of what code needs that names these, by file name: see
// [Exported]. Other names are passed over. An older one does with [OlderLibrary], which has no iterators.
func Copy(names []string, version string, older bool) (map[string][]byte, error) {
	exported, err := Exported()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(exported, n) })
	variant := "plain"
	if slices.ContainsFunc(names, ofOptions) {
		variant = "whole"
	}
	l, err := newLibrary(variant)
	if err != nil {
		return nil, err
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	c := &cutout{library: l, needed: l.closure(names), version: version, names: names}
	if older {
		c.stands = make(map[string]bool)
	}
	in := make([][]*decl, len(parts))
	for _, d := range l.decls {
		if c.needed[d] && d.kind != "field" {
			for _, i := range spread(d.kinds) {
				in[i] = append(in[i], d)
			}
		}
	}
	files := make(map[string][]byte)
	for i, p := range slices.Backward(parts) { // the first has what stands in for others
		if len(in[i]) == 0 && i > 0 {
			continue
		}
		if files[p.name], err = c.print(p, in[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return files, nil
}

// Between these stands, in the first file of a copy, for which names it was made.
const (
	calledStart = "// which has the documentation: "
	calledEnd   = ", and what that needs."
)

// Called are the names for which a copy was made that has this first file.
func Called(src []byte) (names []string, ok bool) {
	for line := range strings.Lines(string(src)) {
		line, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), calledStart)
		if !ok {
			continue
		}
		line, ok = strings.CutSuffix(line, calledEnd)
		return strings.Split(line, ", "), ok && line != ""
	}
	return nil, false
}

// First is the file of a copy that says for which names it was made.
const First = "safeio.go"

// ofOptions reports whether a name is that of Options or a method of theirs.
func ofOptions(name string) bool {
	of, _, _ := strings.Cut(name, ".")
	return of == Options
}

// print is the source of a file with these declarations.
func (c *cutout) print(p part, decls []*decl) ([]byte, error) {
	var out strings.Builder
	out.WriteString(Header + c.version + " from " + ImportPath + HeaderEnd + "\n")
	if p.build != "" {
		out.WriteString("//go:build " + p.build + "\n\n")
	}
	if p.on == onEverything {
		out.WriteString("// Package safeio is what this module calls of " + ImportPath + ",\n" +
			calledStart + strings.Join(c.names, ", ") + calledEnd + "\n")
	}
	out.WriteString("package safeio\n\n")
	var imports []string
	texts := make(map[*decl]string, len(decls))
	for _, d := range decls {
		texts[d] = c.backport(c.text(d))
		for _, path := range d.imports {
			if texts[d] == d.text || uses(texts[d], path) {
				imports = append(imports, path)
			}
		}
	}
	after := ""
	if p.name == First {
		after, imports = c.standing(imports)
	}
	slices.Sort(imports)
	if imports = slices.Compact(imports); len(imports) > 0 {
		if len(imports) == 1 {
			fmt.Fprintf(&out, "import %q\n\n", imports[0])
		} else {
			fmt.Fprintf(&out, "import (\n\"%s\"\n)\n\n", strings.Join(imports, "\"\n\""))
		}
	}
	writeDecls(&out, decls, texts)
	out.WriteString(after)
	return format.Source([]byte(out.String()))
}

// writeDecls writes constants, variables, types and functions, in this order.
func writeDecls(out *strings.Builder, decls []*decl, texts map[*decl]string) {
	for _, kind := range []string{"const", "var"} {
		var specs []string
		for _, d := range decls {
			if d.kind == kind {
				specs = append(specs, texts[d])
			}
		}
		switch len(specs) {
		case 0:
		case 1:
			fmt.Fprintf(out, "%s %s\n\n", kind, specs[0])
		default:
			fmt.Fprintf(out, "%s (\n%s\n)\n\n", kind, strings.Join(specs, "\n"))
		}
	}
	for _, kind := range []string{"type", "func"} {
		for _, d := range decls {
			if d.kind == kind {
				out.WriteString(texts[d] + "\n")
			}
		}
		out.WriteString("\n")
	}
}

// text is a declaration as the copy has it. Options have the fields that it looks at.
func (c *cutout) text(d *decl) string {
	if d.kind != "type" || d.names[0] != Options {
		return d.text
	}
	text, end := d.text, "}"
	for _, f := range c.decls {
		if c.needed[f] && f.kind == "field" {
			text, end = text+"\n"+f.text, "\n}"
		}
	}
	return text + end
}
