package repair

import (
	"fmt"
	"strings"
	"testing"
)

// TestPatchCountsLines checks the headers of the hunks: a line moves within the first one, and the
// second one says where the new file has it.
func TestPatchCountsLines(t *testing.T) {
	var old strings.Builder
	for i := range 40 {
		fmt.Fprintf(&old, "line %d\n", i)
	}
	moved := strings.Replace(old.String(), "line 4\n", "", 1)
	moved = strings.Replace(moved, "line 8\n", "line 8\nline 4\nnew\n", 1)
	moved = strings.Replace(moved, "line 30\n", "other\n", 1)
	patch := string(Patch("/m", []Change{{Name: "/m/a.txt", Old: []byte(old.String()), New: []byte(moved)}}, false))
	for _, want := range []string{"diff a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n", "\n@@ -28,7 +29,7 @@\n", " a.txt | +3 -2\n"} {
		if !strings.Contains(patch, want) {
			t.Errorf("%q is not in\n%s", want, patch)
		}
	}
}
