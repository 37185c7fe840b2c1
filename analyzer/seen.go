package analyzer

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
)

// Seen is what was seen of a file or a lock at one place, for people who ask why nothing
// is reported there.
type Seen struct {
	// Pos is the place, Func the function around it.
	Pos  token.Pos
	Func string
	// Does says what is done: "read", "truncate".
	Does string
	// File is the file as a reader would write it; empty where it is not followed.
	File string
	// Why says why it is not; empty for a file that is followed.
	Why string
	// Loses goes on behind File: what becomes of its content, or where that is judged.
	Loses string
	// Through is the function that is called and does it, empty for what stands there itself.
	Through string
}

// does names the kinds of effects on files.
var does = map[effects.Kind]string{
	effects.Read: "reads", effects.Decode: "decodes", effects.Truncate: "truncates", effects.Open: "opens for writing", effects.CreateExclusive: "makes exclusively", effects.Append: "appends to",
	effects.OpenOrCreate: "makes or opens", effects.Write: "writes", effects.Sync: "syncs", effects.TruncateTo: "cuts", effects.Rename: "renames", effects.Link: "links", effects.Remove: "removes", effects.Stat: "asks for",
	effects.List: "lists", effects.Replace: "replaces", effects.Lock: "locks", effects.Unlock: "unlocks", effects.MakeDir: "makes", effects.EnsureDir: "makes",
}

// loses says of kinds of effects why they lose nothing by themselves.
var loses = map[effects.Kind]string{
	effects.Read: "which changes no file", effects.Decode: "which changes no file", effects.Stat: "which changes no file", effects.List: "which changes no file",
	effects.Append:          "which leaves what the file holds, and no record is seen that is appended in pieces",
	effects.CreateExclusive: "which fails where the file is there: nothing old is lost",
	effects.Replace:         "which leaves the old content or the new, whole",
	effects.Sync:            "which puts on disk what is written already",
	effects.Link:            "which gives a file another name and leaves its content",
	effects.Remove:          "which is no removal of a lock or a claim that others rely on, nor one before a rename, as far as is seen",
	effects.Lock:            "which is held as long as needed, as far as is seen", effects.Unlock: "which is released " +
		"behind what it protects, as far as is seen",
	effects.MakeDir: "which changes no file", effects.EnsureDir: "which changes no file",
}

// changes are the kinds of effects by which the content of a file, or its name, becomes another.
var changes = map[effects.Kind]bool{
	effects.Truncate: true, effects.Open: true, effects.CreateExclusive: true, effects.Append: true, effects.OpenOrCreate: true, effects.Write: true,
	effects.TruncateTo: true, effects.Rename: true, effects.Link: true, effects.Remove: true, effects.Replace: true,
}

// seen lists what the functions do to files, in the order of the functions. Of what a function
// does through another of the package, changes of files alone are listed.
func seen(p *effects.Package) (list []Seen) {
	for _, f := range p.Funcs {
		for i, e := range f.Effects {
			name := does[e.Kind]
			if name == "" || e.Kind == effects.Decode && e.Path == nil || !e.Pos.IsValid() || len(e.Via) > 0 && !changes[e.Kind] {
				continue
			}
			if e.Kind == effects.Write && len(e.Via) > 0 && last(f.Effects[:i], func(o *effects.Effect) bool {
				return o.At == e.At && changes[o.Kind] && memory.SameFile(o.Path, e.Path)
			}) != nil {
				continue // the call that writes has opened the file, too, and that is listed
			}
			s := Seen{Pos: e.Pos, Func: memory.FuncName(e.In), Does: name}
			if len(e.Via) > 0 {
				s.Pos, s.Func, s.Through = e.Via[0].Pos(), f.Name(), memory.FuncName(e.In)
			}
			switch {
			case e.Path == nil && e.Handle == nil:
				s.Why = "nothing is known of its path"
			case e.Path == nil:
				s.Why = "it is known as " + e.Handle.String() + " only, which says no path"
			default:
				s.File, s.Loses = e.Path.Named(e.Path.String()), outcome(p.Pass.Fset, f, i)
			}
			list = append(list, s)
		}
	}
	return list
}

// outcome says what becomes of the content of the file of the i-th effect of f.
func outcome(fset *token.FileSet, f *effects.Func, i int) string {
	e := f.Effects[i]
	if text := loses[e.Kind]; text != "" {
		return ", " + text
	}
	below := len(e.Via) > 0
	if below && (e.Kind != effects.Rename || e.Target == nil) {
		return fmt.Sprintf(", which is judged at line %d", fset.Position(e.Pos).Line)
	}
	switch e.Kind {
	case effects.Write:
		if opened := last(f.Effects[:i], func(o *effects.Effect) bool { return o.Kind != effects.Write && changes[o.Kind] && o.On(e.Handle) }); opened != nil {
			return fmt.Sprintf(", which is judged at line %d, where the file is opened", fset.Position(opened.Pos).Line)
		}
		return ", which is judged where the file is opened, and that is not in this function"
	case effects.Rename:
		if e.Target == nil {
			return ", and it is not known to which name"
		}
		to := " to " + e.Target.Named(e.Target.String())
		if made := last(f.Effects[:i], func(o *effects.Effect) bool {
			return changes[o.Kind] && o.Kind != effects.Rename && o.Kind != effects.Remove && memory.SameFile(o.Path, e.Path)
		}); made != nil {
			return fmt.Sprintf("%s, which is judged at line %d, where that file is written", to, fset.Position(made.Pos).Line)
		}
		if below {
			return fmt.Sprintf("%s, which is judged at line %d", to, fset.Position(e.Pos).Line)
		}
		return to + ", in one step: this function has not written the file that it renames"
	}
	return ", and no check looks at that here"
}

// last is the last effect of which something holds, nil for none.
func last(list []*effects.Effect, is func(*effects.Effect) bool) *effects.Effect {
	for _, e := range slices.Backward(list) {
		if is(e) && e.Pos.IsValid() {
			return e
		}
	}
	return nil
}
