package known

import (
	"go/types"
)

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
