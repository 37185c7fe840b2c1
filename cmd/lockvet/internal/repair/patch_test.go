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

// TestPatchOfRepeatedLines checks that lines which stand in a file more than once are not taken out
// and put back beside a change.
func TestPatchOfRepeatedLines(t *testing.T) {
	check := "\tif err != nil {\n\t\treturn err\n\t}\n"
	old := "\tf, err := os.Create(path)\n" + check + "\n\tdir, err := home()\n" + check
	fixed := "\tf, err := safeio.Create(path)\n" + check + "\tdefer f.Close()\n\n\tdir, err := home()\n" + check
	patch := string(Patch("/m", []Change{{Name: "/m/a.go", Old: []byte(old), New: []byte(fixed)}}, false))
	if want := " a.go | +2 -1\n"; !strings.Contains(patch, want) {
		t.Errorf("%q is not in\n%s", want, patch)
	}
}

// TestPatchOfNothing checks the hunks of files that come and go.
func TestPatchOfNothing(t *testing.T) {
	patch := string(Patch("/m", []Change{{Name: "/m/new.txt", New: []byte("a\n")}, {Name: "/m/old.txt", Old: []byte("b\n")}}, false))
	for _, want := range []string{"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+a\n", "--- a/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b\n"} {
		if !strings.Contains(patch, want) {
			t.Errorf("%q is not in\n%s", want, patch)
		}
	}
}
