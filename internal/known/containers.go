package known

import (
	"go/types"
	"strings"
)

// containerMethods are what the methods of containers do to what is in them, by names
// that mean the same with all of them; true for a change.
var containerMethods = map[string]bool{
	"Get": false, "Has": false, "Contains": false, "Lookup": false, "Exists": false, "Find": false, "Len": false, "Peek": false, "Front": false, "Back": false,
	"Set": true, "Put": true, "Add": true, "Insert": true, "Delete": true, "Remove": true, "Push": true, "PushBack": true, "PushFront": true, "Pop": true,
	"ReplaceOrInsert": true, "MoveToFront": true, "MoveToBack": true,
}

// Container reports whether a method looks into a container, or changes what is in it. One
// that has a lock or an atomic in it takes care of itself, and what is called of a copy, such
// as a time, changes nothing.
func Container(fn *types.Func) (changes, ok bool) {
	recv := fn.Origin().Signature().Recv() // what is in it may have locks of its own
	if recv == nil || types.IsInterface(recv.Type()) {
		return false, false
	}
	_, isPointer := recv.Type().(*types.Pointer)
	if _, isMap := recv.Type().Underlying().(*types.Map); !isPointer && !isMap {
		return false, false
	}
	changes, ok = containerMethods[fn.Name()]
	return changes, ok && !strings.HasSuffix(Path(fn), "atomic") && holds(Pointee(recv.Type())) && !shares(Pointee(recv.Type()), 3)
}

// holds reports whether values of a type have room for others, which a number or a flag
// with methods has not.
func holds(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Pointer:
		return true
	case *types.Struct:
		for v := range t.Fields() {
			if holds(v.Type()) {
				return true
			}
		}
	}
	return false
}

// shares reports whether values of a type are made to be used by several goroutines: a lock,
// an atomic or a channel is in them.
func shares(t types.Type, depth int) bool {
	t = Pointee(t)
	if _, ok := t.(*types.TypeParam); ok {
		return false
	}
	if _, ok := t.Underlying().(*types.Chan); ok || IsMutex(t) {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && (Path(named.Obj()) == "sync" || Path(named.Obj()) == "sync/atomic") {
		return true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return false
	}
	for v := range st.Fields() {
		if shares(v.Type(), depth-1) {
			return true
		}
	}
	return false
}

// inPlace are the functions of std that change the elements of their first argument where
// they are: who has another view of them sees that.
var inPlace = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.Sort": true, "sort.Stable": true,
	"sort.Strings": true, "sort.Ints": true, "sort.Float64s": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true, "slices.Reverse": true,
	"slices.Compact": true, "slices.CompactFunc": true, "slices.Delete": true, "slices.DeleteFunc": true,
	"maps.Copy": true, "maps.DeleteFunc": true, "maps.Insert": true,
}

// InPlace reports whether a function of std changes the elements of its first argument, and
// not of a copy.
func InPlace(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && inPlace[fn.Origin().FullName()]
}
