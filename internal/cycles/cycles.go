// Package cycles finds where a function loads a file and saves it again: what is read,
// what of that is written, and whether anything of it is changed in between.
package cycles

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Cycle is a file that a function reads and writes again, with content that
// derives from what was read.
type Cycle struct {
	// File is the path of the file.
	File *pathexpr.Term
	// Read is where the content is read that reaches the bytes written.
	Read *effects.Effect
	// Write is where they are written, Rename where the file that holds them is
	// moved over File; nil where they are written to File itself.
	Write, Rename *effects.Effect
}

// Last is the effect that changes the file.
func (c Cycle) Last() *effects.Effect {
	if c.Rename != nil {
		return c.Rename
	}
	return c.Write
}

// Grows reports whether what the file holds stays in it as it is, and something is
// added.
func (c Cycle) Grows() bool {
	data := c.Write.Data
	return data != nil && memory.Encoder(data) == "" && effects.Reads(data, c.File)
}

// PutsBack reports whether the write is given the very bytes that the read has
// returned, with no element assigned to: the file was removed in between, or written
// over.
func (c Cycle) PutsBack() bool {
	write, ok := c.Write.At.(ssa.CallInstruction)
	made, isValue := c.Read.At.(ssa.Value)
	return ok && isValue && slices.ContainsFunc(memory.CallArgs(write.Common()), func(arg ssa.Value) bool {
		read, ok := arg.(*ssa.Extract)
		return ok && read.Tuple == made && known.IsBytes(read.Type()) && !slices.ContainsFunc(flow.Uses(read), assigns)
	})
}

// assigns reports whether an element of a slice is assigned to by its address.
func assigns(i ssa.Instruction) bool {
	elem, ok := i.(*ssa.IndexAddr)
	return ok && slices.ContainsFunc(flow.Uses(elem), func(i ssa.Instruction) bool {
		st, ok := i.(*ssa.Store)
		return ok && st.Addr == elem
	})
}

// OneCall reports whether one call of the function both reads and writes.
func (c Cycle) OneCall() bool { return c.Read.At == c.Last().At }

// Of lists the cycles of a function of the package, those of the functions that it calls
// included. They are looked for once, whichever checks ask.
func Of(p *effects.Package, f *effects.Func) []Cycle {
	type key struct{}
	known := p.Derived(key{}, func() any { return map[*effects.Func][]Cycle{} }).(map[*effects.Func][]Cycle)
	list, ok := known[f]
	if !ok {
		list = slices.Clip(of(f))
		known[f] = list
	}
	return list
}

func of(f *effects.Func) []Cycle {
	var list []Cycle
	several := map[string]bool{}
	for _, w := range f.Effects {
		if w.Kind != effects.Write && w.Kind != effects.Replace {
			continue
		}
		for _, s := range w.From {
			if s.File() == nil {
				continue
			}
			for _, file := range savedOf(f, s.File(), w, several) {
				if c, ok := cycle(f, s, file, w); ok {
					list = append(list, c)
					break
				}
			}
		}
		if c, ok := objectCycle(f, w); ok {
			list = append(list, c)
		}
	}
	return list
}

// objectCycle is the cycle of an object that the function loads and saves.
func objectCycle(f *effects.Func, w *effects.Effect) (Cycle, bool) {
	c := Cycle{Write: w}
	if w.Object == nil {
		return c, false
	}
	var last *effects.Effect
	if c.File, last = f.Saves(w); c.File == nil {
		return c, false
	}
	if last != w {
		c.Rename = last
	}
	for _, e := range f.OfKind(effects.Load, effects.StoreLoaded) {
		if e.Object != nil && e.Object.Equal(w.Object) && ofFile(e, c.File) && effects.Reaches(e, w) &&
			(c.Read == nil || effects.Before(c.Read, e)) {
			c.Read = e
		}
	}
	return c, c.Read != nil
}

// ofFile reports whether memory may be filled from a file: it is not known to be
// filled from others alone.
func ofFile(fill *effects.Effect, file *pathexpr.Term) bool {
	others := false
	for _, s := range fill.From {
		if from := s.File(); from != nil {
			if mayBe(from, file) {
				return true
			}
			others = true
		}
	}
	return !others
}

// savedOf are the files that what was read of one may be saved to: that itself, and each of several
// of which it is one, if the function saves them all, which is remembered.
func savedOf(f *effects.Func, file *pathexpr.Term, w *effects.Effect, several map[string]bool) []*pathexpr.Term {
	if file.Kind != pathexpr.Alt || w.Path == nil {
		return []*pathexpr.Term{file}
	}
	all, known := several[file.Key()]
	if !known {
		all = !slices.ContainsFunc(file.Args, func(t *pathexpr.Term) bool { return !saves(f, t) })
		several[file.Key()] = all
	}
	if !all {
		return []*pathexpr.Term{file}
	}
	return append([]*pathexpr.Term{file}, file.Args...)
}

// saves reports whether a function writes a file, or moves what it writes there.
func saves(f *effects.Func, file *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(effects.Write, effects.Replace), func(o *effects.Effect) bool {
		return o.Path != nil && (memory.SameFile(effects.PendingFor(o.Path), file) || moved(f, o, file) != nil)
	})
}

// cycle is the cycle of a file that a write closes whose bytes derive from s.
func cycle(f *effects.Func, s memory.Source, file *pathexpr.Term, w *effects.Effect) (Cycle, bool) {
	c := Cycle{File: file, Write: w}
	if w.Path == nil || f.Appends(w) {
		return c, false
	}
	if path := effects.PendingFor(w.Path); !mayBe(path, c.File) && !entries(path, c.File) && (w.Object != nil || !names(f, path, c.File)) {
		c.Rename = moved(f, w, c.File)
		if c.Rename == nil {
			return c, false
		}
	}
	c.Read = readAt(f, s, c.Last())
	return c, c.Read != nil
}

// mayBe reports whether a path is the file, or one of several of which it is one:
// the content that was read there says which.
func mayBe(path, file *pathexpr.Term) bool {
	return memory.SameFile(path, file) ||
		path.Kind == pathexpr.Alt && slices.ContainsFunc(path.Args, func(t *pathexpr.Term) bool { return memory.SameFile(t, file) })
}

// entries reports whether a path and that of a file are the same but for which entry of a list
// or a map they are made of: what is loaded from the files of a list is saved to those of it.
func entries(path, file *pathexpr.Term) bool {
	entry := func(t *pathexpr.Term) *pathexpr.Term {
		if t.Kind != pathexpr.Elem || len(t.Args) > 1 && t.Args[1].Kind == pathexpr.Const {
			return nil
		}
		return pathexpr.New(pathexpr.Unknown, "entry")
	}
	return path.Has(pathexpr.Elem) && file.Has(pathexpr.Elem) && path.PackageKey() != "" && path.Map(entry).Equal(file.Map(entry))
}

// names reports whether a path is that of a file by what was loaded from it: a record that
// is read under its ID is written under the ID that stands in it, to which the function
// assigns nothing.
func names(f *effects.Func, path, file *pathexpr.Term) bool {
	family := file.PackageKey()
	if family == "" {
		return false
	}
	var fields []*pathexpr.Term
	its := path.Map(func(t *pathexpr.Term) *pathexpr.Term {
		if t.Args[0].Kind != pathexpr.Call && t.Args[0].Kind != pathexpr.Unknown {
			return nil
		}
		fields = append(fields, t)
		return pathexpr.New(pathexpr.Unknown, "id")
	}, pathexpr.Field)
	return len(fields) > 0 && its.PackageKey() == family &&
		!slices.ContainsFunc(fields, func(t *pathexpr.Term) bool { return memory.Assigns(f.SSA, t.Type, t.Text) })
}

// moved is the rename that puts what w writes in the place of a file: that of the call which
// writes, however deep, before one of another call that does the same.
func moved(f *effects.Func, w *effects.Effect, file *pathexpr.Term) *effects.Effect {
	var found *effects.Effect
	for _, e := range f.OfKind(effects.Rename) {
		if memory.SameFile(e.Path, w.Path) &&
			(memory.SameFile(e.Target, file) || entries(e.Target, file) || w.Object == nil && names(f, e.Target, file)) &&
			effects.Reaches(w, e) {
			if e.At == w.At && slices.Equal(e.Via, w.Via) {
				return e
			}
			if found == nil || e.At == w.At && found.At != w.At {
				found = e
			}
		}
	}
	return found
}

// readAt is the effect that reads the content s for the write w.
func readAt(f *effects.Func, s memory.Source, w *effects.Effect) *effects.Effect {
	var found *effects.Effect
	for _, e := range f.OfKind(effects.Read) {
		if !memory.SameFile(e.Path, s.File()) || !effects.Reaches(e, w) {
			continue
		}
		if e.At == s.At {
			return e
		}
		if found == nil && (s.At == nil || f.Reaches(s.At, e.At)) {
			found = e
		}
	}
	if found == nil {
		// A file that is opened to be read and written is read by its decoder.
		for _, e := range f.OfKind(effects.Decode) {
			if effects.Reads(e.Data, s.File()) && effects.Reaches(e, w) && (s.At == nil || s.At == e.At || f.Reaches(s.At, e.At)) {
				return e
			}
		}
	}
	return found
}
