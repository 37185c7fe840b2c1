package latelock

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// filed reports whether a function that uses the place, or a method of the
// object, has to do with a file; for a package variable, a function that holds the lock then.
func (c *checker) filed(k *pair) bool {
	if k.owner == "" {
		return slices.ContainsFunc(k.held, c.actsUnder)
	}
	acts := func(u *use) bool { f := c.p.Of(u.fn()); return f != nil && actsOnFile(f) }
	return c.owners()[k.owner] || slices.ContainsFunc(k.uses, acts)
}

// owners are the names of the types that have a method which acts on a file.
func (c *checker) owners() map[string]bool {
	if c.filedOwners == nil {
		c.filedOwners = map[string]bool{}
		for _, f := range c.p.Funcs {
			if recv := f.SSA.Signature.Recv(); recv != nil && actsOnFile(f) {
				c.filedOwners[c.typeName(recv.Type())] = true
			}
		}
	}
	return c.filedOwners
}

// actsUnder reports whether the function of a use has to do with a file while it holds the lock.
func (c *checker) actsUnder(u *use) bool {
	f := c.p.Of(u.Func.SSA)
	return f != nil && slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return onFile(e) && e.When == effects.Inline && slices.Contains(heldOf(u.Func, u.Func.Held(e.At)), u.Lock)
	})
}

// saved reports whether the place, or the object that has it as an exported field, is saved to a file, or
// a function that changes it changes the file that the object names.
func (c *checker) saved(k *pair, fn *ssa.Function) bool {
	if k.memory || k.owner == "" {
		return !k.memory
	}
	name, _, _ := strings.Cut(k.path, ".") // the field of the object, which may have the place in it
	typ := c.typePath(k)
	of := func(t *pathexpr.Term) bool {
		for ; t != nil && t.Kind == pathexpr.Field; t = t.Args[0] {
			if t.Type == typ {
				return t.Text == name
			}
		}
		return t != nil && t.Type == typ && token.IsExported(name)
	}
	from := func(e *effects.Effect) bool {
		return slices.ContainsFunc(e.From, func(s memory.Source) bool { return of(s.Term) })
	}
	named := func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Field && t.Type == typ }
	names := func(e *effects.Effect) bool { return e.Path.Any(named) || e.Target.Any(named) }
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.OfKind(effects.Write, effects.Replace), from) ||
			f.SSA == fn && slices.ContainsFunc(f.OfKind(changing...), names)
	})
}

// changing are the kinds of effects that change or remove a file.
var changing = []effects.Kind{
	effects.Truncate, effects.CreateExclusive, effects.Append, effects.Rename, effects.Remove, effects.Replace,
}

// typePath is the import path and name of the type that has the place, as in terms.
func (c *checker) typePath(k *pair) string {
	name, _, _ := strings.Cut(k.owner, "[") // of a generic type without its arguments
	return c.p.Pass.Pkg.Path() + "." + name
}

func actsOnFile(f *effects.Func) bool { return slices.ContainsFunc(f.Effects, onFile) }

func onFile(e *effects.Effect) bool {
	return e.Kind == effects.Read || e.Kind == effects.Open || slices.Contains(changing, e.Kind)
}
