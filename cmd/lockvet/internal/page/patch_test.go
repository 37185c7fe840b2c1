package page

import (
	"fmt"
	"strings"
	"testing"
)

// TestHunksCountLines checks the numbers of the lines on the right: a line moves within the first
// hunk, and the second one begins where the file has it then.
func TestHunksCountLines(t *testing.T) {
	var old strings.Builder
	for i := range 40 {
		fmt.Fprintf(&old, "line %d\n", i)
	}
	moved := strings.Replace(old.String(), "line 4\n", "", 1)
	moved = strings.Replace(moved, "line 8\n", "line 8\nline 4\nnew\n", 1)
	moved = strings.Replace(moved, "line 30\n", "other\n", 1)
	before, after := newText([]byte(old.String())), newText([]byte(moved))
	list := hunks(before, after)
	if len(list) != 2 {
		t.Fatalf("%d hunks", len(list))
	}
	fresh := strings.Split(moved, "\n")
	for _, h := range list {
		for _, b := range h.Blocks {
			for _, l := range b.New {
				var shown strings.Builder
				for _, s := range l.Segments {
					shown.WriteString(s.Text)
				}
				if want := fresh[l.Number-1]; shown.String() != want {
					t.Errorf("line %d is shown as %q, and is %q", l.Number, &shown, want)
				}
			}
		}
	}
	if n := list[1].Blocks[1].New[0].Number; n != 32 {
		t.Errorf("the second change is shown in line %d, and is in 32", n)
	}
}
