package latelock

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
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

// changing are the kinds of effects that change or remove a file.
var changing = []effects.Kind{
	effects.Truncate, effects.CreateExclusive, effects.Append, effects.Rename, effects.Remove, effects.Replace,
}

func actsOnFile(f *effects.Func) bool { return slices.ContainsFunc(f.Effects, onFile) }

func onFile(e *effects.Effect) bool {
	return e.Kind == effects.Read || e.Kind == effects.Open || slices.Contains(changing, e.Kind)
}
