package live

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// stored is what a package refers to, in the form that is encoded: names are indices
// of Names.
type stored struct {
	Dir, Module     string
	Main, Command   bool
	Program, Closed bool
	Imports, Files  []string
	Called          []string
	Names           []Name
	Decls           []declaration
}

// A declaration is one that is stored.
type declaration struct {
	Name         int
	Starts, Runs bool
	To           []int
}

// Encode is what u was told of a package, for [Uses.AddEncoded]: nil where that is
// nothing.
func (u *Uses) Encode(path string) ([]byte, error) {
	u.mu.Lock()
	of := u.packages[path]
	u.mu.Unlock()
	if of == nil {
		return nil, nil
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(of.stored()); err != nil {
		return nil, fmt.Errorf("encoding the uses of %s: %w", path, err)
	}
	return out.Bytes(), nil
}

// AddEncoded tells again what was encoded.
func (u *Uses) AddEncoded(path string, encoded []byte) error {
	if len(encoded) == 0 {
		return nil
	}
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&s); err != nil {
		return fmt.Errorf("decoding the uses of %s: %w", path, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.packages[path] = s.uses()
	return nil
}

func (of *uses) stored() stored {
	s := stored{
		Dir: of.dir, Module: of.module, Main: of.main, Command: of.command, Program: of.program, Closed: of.closed, Imports: of.imports, Files: of.files,
		Called: slices.Sorted(maps.Keys(of.called)),
	}
	index := make(map[Name]int)
	number := func(n Name) int {
		i, ok := index[n]
		if !ok {
			i = len(s.Names)
			index[n], s.Names = i, append(s.Names, n)
		}
		return i
	}
	for _, from := range slices.SortedFunc(maps.Keys(of.by), compare) {
		d := declaration{Name: number(from), Starts: of.starts[from], Runs: of.runs[from]}
		for _, to := range slices.SortedFunc(maps.Keys(of.by[from]), compare) {
			d.To = append(d.To, number(to))
		}
		s.Decls = append(s.Decls, d)
	}
	return s
}

func (s stored) uses() *uses {
	of := &uses{
		dir: s.Dir, module: s.Module, main: s.Main, command: s.Command, program: s.Program, closed: s.Closed, imports: s.Imports, files: s.Files,
		starts: make(map[Name]bool), runs: make(map[Name]bool), by: make(map[Name]map[Name]bool),
		called: make(map[string]bool),
	}
	for _, fn := range s.Called {
		of.called[fn] = true
	}
	for _, d := range s.Decls {
		from := s.Names[d.Name]
		of.by[from] = make(map[Name]bool, len(d.To))
		for _, to := range d.To {
			of.by[from][s.Names[to]] = true
		}
		if d.Starts {
			of.starts[from] = true
		}
		if d.Runs {
			of.runs[from] = true
		}
	}
	return of
}

func compare(a, b Name) int {
	if c := strings.Compare(a.Package, b.Package); c != 0 {
		return c
	}
	return strings.Compare(a.Decl, b.Decl)
}
