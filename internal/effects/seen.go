package effects

import (
	"go/token"

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
var does = map[Kind]string{
	Read: "reads", Decode: "decodes", Truncate: "truncates", Open: "opens for writing", CreateExclusive: "makes exclusively", Append: "appends to",
	Make: "makes or opens", Write: "writes", Sync: "syncs", Cut: "cuts", Rename: "renames", Link: "links", Remove: "removes", Stat: "asks for",
	List: "lists", Replace: "replaces", Lock: "locks", Unlock: "unlocks", MakeDir: "makes", EnsureDir: "makes",
}

// Seen lists what the functions themselves do to files, in the order of the functions.
// What a function does through another is listed of that.
func (p *Package) Seen() (list []Seen) {
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			name := does[e.Kind]
			if name == "" || e.Kind == Decode && e.Path == nil || len(e.Via) > 0 || !e.Pos.IsValid() {
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
