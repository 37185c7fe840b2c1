package fixes

import (
	"maps"
	"slices"
	"testing"
)

// TestQualified: an import comes for what is written, and not for what a comment says.
func TestQualified(t *testing.T) {
	got := qualified([]edit{
		{text: "\t// safeio.Lock would wait, errors.Is( tells\n\thold(a.b.c) /* os.MkdirAll( */\n"},
		{text: "if !errors.Is (err, safeio.ErrLocked) {"},
		{text: "\"os.Remove(\" + `filepath.Join(`\n"},
	})
	names := slices.Sorted(maps.Keys(got))
	if want := []string{"a.b", "b.c", "errors.Is", "safeio.ErrLocked"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
