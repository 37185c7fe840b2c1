package known

import (
	"go/types"
	"strings"
)

// LockFields lists the fields of a struct type that are locks.
func LockFields(t types.Type) []*types.Var {
	st, ok := Pointee(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var list []*types.Var
	for v := range st.Fields() {
		if IsLock(v.Type()) {
			list = append(list, v)
		}
	}
	return list
}

// IsLock reports whether values of a type are locks: they can be locked and
// unlocked, or are channels that carry nothing, or weighted semaphores.
func IsLock(t types.Type) bool {
	if ch, ok := t.Underlying().(*types.Chan); ok {
		st, ok := ch.Elem().Underlying().(*types.Struct)
		return ok && st.NumFields() == 0
	}
	t = Pointee(t)
	if named, ok := t.(*types.Named); ok && named.Obj().Name() == "Weighted" && strings.HasSuffix(Path(named.Obj()), "/semaphore") {
		return true
	}
	return hasMethod(t, "Lock") && hasMethod(t, "Unlock")
}

// IsMutex reports whether values of a type are locks by their methods. Of a
// channel it takes more to tell.
func IsMutex(t types.Type) bool {
	_, channel := t.Underlying().(*types.Chan)
	return !channel && IsLock(t)
}

func hasMethod(t types.Type, name string) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Map, *types.Chan, *types.Signature, *types.Tuple:
		return false // and most are of these
	case *types.Named:
		if _, plain := t.Underlying().(*types.Basic); plain && t.NumMethods() == 0 {
			return false
		}
	}
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Params().Len() == 0
}

// Path is the import path of what declares obj, empty for the universe.
func Path(obj types.Object) string {
	if obj.Pkg() == nil {
		return ""
	}
	return obj.Pkg().Path()
}

// IsType reports whether t is the named type of a package.
func IsType(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && Path(named.Obj()) == path
}

// Pointee is the type that t points to, t itself for any other type.
func Pointee(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}
