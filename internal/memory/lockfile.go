package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// LockFile is the path of the lock file behind a lock or an open file: what its
// constructor was given, also for one that is kept in a field or a package
// variable. Where that is not known it is the term itself.
func (p *Values) LockFile(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	switch t.Kind {
	case pathexpr.Alt:
		paths := make([]*pathexpr.Term, len(t.Args))
		for i, a := range t.Args {
			paths[i] = p.LockFile(a)
		}
		return pathexpr.New(pathexpr.Alt, "", paths...)
	case pathexpr.Global:
		if len(t.Args) > 0 && t.Args[0].Path() != t.Args[0] {
			return t.Args[0].Path()
		}
	case pathexpr.Field:
		if st := p.locks[t.Type+"."+t.Text]; st != nil {
			if path := p.KeptPath(st, t.Args[0]); path != nil && path.Kind != pathexpr.Unknown {
				return path
			}
		}
	}
	return t.Path()
}

// KeptPath is the path of the lock that st stores into a field, in terms of the
// object that has the field: what the constructor puts beside it into a text
// field is that field, and its other parameters are unknown.
func (p *Values) KeptPath(st *ssa.Store, object *pathexpr.Term) *pathexpr.Term {
	lock := p.Term(st.Val)
	path := lock.Path()
	if path == lock {
		return nil
	}
	base := st.Addr.(*ssa.FieldAddr).X
	beside := p.textsOf(base, object)
	self := p.Term(base).Key()
	return path.Map(func(x *pathexpr.Term) *pathexpr.Term {
		if f := beside[x.Key()]; f != nil {
			return f
		}
		switch {
		case x.Key() == self:
			return object
		case x.Kind == pathexpr.Param:
			return pathexpr.New(pathexpr.Unknown, "var "+x.Text+"@")
		}
		return nil
	})
}

// textsOf are the text fields of the object at base that get their only value
// where it is made, by the key of that value. Nobody sees all that is stored into a
// package variable.
func (p *Values) textsOf(base ssa.Value, object *pathexpr.Term) map[string]*pathexpr.Term {
	fields := map[string]*pathexpr.Term{}
	of := StructOf(base.Type())
	for _, ref := range flow.Uses(base) {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || p.Fields[of.Field(fa.Field).Origin()] == nil {
			continue
		}
		for _, r := range flow.Uses(fa) {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
				if t := p.Term(st.Val); t.Kind != pathexpr.Const {
					fields[t.Key()] = pathexpr.NewField(object, NamedType(base.Type()), of.Field(fa.Field).Name()).Given(t)
				}
			}
		}
	}
	return fields
}

func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// Raise is lift for a term that may be missing.
func Raise(t *pathexpr.Term) *pathexpr.Term {
	if t == nil {
		return nil
	}
	return lift(t)
}

func IsBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
