package bundle

import (
	_ "embed"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// wholeIndex says which names a declaration of safeio needs, a line for each: the file and
// the name, a colon, the names. Types say so, when the test makes it.
//
//go:embed index.txt
var wholeIndex string

// plainIndex is the same where nobody names Options.
//
//go:embed index_plain.txt
var plainIndex string

func parseIndex(text string) (map[string][]string, error) {
	all := make(map[string][]string)
	for line := range strings.Lines(text) {
		id, names, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("the index of safeio has a line %q", line)
		}
		all[id] = strings.Fields(names)
	}
	return all, nil
}

// Options is the type that has a method for each function.
const Options = "Options"

// closure is what code needs that names these functions, types, variables and methods
// of Options, on any system: what these need, what that needs, and all that a caller
// can call on the types of which he has a value.
func (l *library) closure(names []string) map[*decl]bool {
	needed := make(map[*decl]bool)
	var add func(name string, on kinds)
	add = func(name string, on kinds) {
		for _, d := range l.byName[name] {
			if needed[d] || d.kinds&on == 0 {
				continue
			}
			needed[d] = true
			for _, n := range l.needs[d.id()] {
				add(n, d.kinds)
			}
		}
	}
	for _, name := range names {
		add(name, onEverything)
		if name == Options {
			l.fields(func(f string) { add(f, onEverything) })
		}
		for _, d := range l.byName[name] {
			for _, t := range append(slices.Clone(d.exports), name) {
				l.methods(t, func(m string) { add(m, onEverything) })
			}
		}
	}
	return needed
}

// fields are those of Options that a caller can set.
func (l *library) fields(add func(string)) {
	for _, d := range l.byName[Options] {
		for _, f := range d.fields {
			if _, name, _ := strings.Cut(f.names[0], "."); token.IsExported(name) {
				add(f.names[0])
			}
		}
	}
}

// methods are those that a caller can call on a type, but for Options, of which he
// names what he calls.
func (l *library) methods(of string, add func(string)) {
	if of == Options {
		return
	}
	for _, d := range l.decls {
		if t, m, ok := strings.Cut(d.names[0], "."); ok && t == of && token.IsExported(m) {
			add(d.names[0])
		}
	}
}

// Exported are the names of safeio that code can name: functions, types, variables,
// constants, and the methods of Options, as "Options.Lock".
func Exported() ([]string, error) {
	l, err := source(false)
	if err != nil {
		return nil, err
	}
	var names []string
	for name, decls := range l.byName {
		if decls[0].tok == token.ILLEGAL {
			continue // a field
		}
		of, m, method := strings.Cut(name, ".")
		if token.IsExported(of) && (!method || of == Options && token.IsExported(m)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
