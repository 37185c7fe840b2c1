package analyzer

import (
	"go/token"

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
}

// does names the kinds of effects on files.
var does = map[effects.Kind]string{
	effects.Read: "reads", effects.Decode: "decodes", effects.Truncate: "truncates", effects.Open: "opens for writing", effects.CreateExclusive: "makes exclusively", effects.Append: "appends to",
	effects.Make: "makes or opens", effects.Write: "writes", effects.Sync: "syncs", effects.Cut: "cuts", effects.Rename: "renames", effects.Link: "links", effects.Remove: "removes", effects.Stat: "asks for",
	effects.List: "lists", effects.Replace: "replaces", effects.Lock: "locks", effects.Unlock: "unlocks", effects.MakeDir: "makes", effects.EnsureDir: "makes",
}

// seen lists what the functions themselves do to files, in the order of the functions.
// What a function does through another is listed of that.
func seen(p *effects.Package) (list []Seen) {
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			name := does[e.Kind]
			if name == "" || e.Kind == effects.Decode && e.Path == nil || len(e.Via) > 0 || !e.Pos.IsValid() {
				continue
			}
			s := Seen{Pos: e.Pos, Func: memory.FuncName(e.In), Does: name}
			switch {
			case e.Path == nil && e.Handle == nil:
				s.Why = "nothing is known of its path"
			case e.Path == nil:
				s.Why = "it is known as " + e.Handle.String() + " only, which says no path"
			default:
				s.File = e.Path.Named(e.Path.String())
			}
			list = append(list, s)
		}
	}
	return list
}
