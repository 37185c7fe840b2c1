package rewrite

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/remark"
)

func TestWhatMustNotBecomeOfTheFileStays(t *testing.T) {
	for comment, want := range map[string]string{
		"// Write to a temporary file and rename it, so that a crash is survived.":           "// Write to a temporary file and rename it, so that a crash is survived.",
		"// Write to a temporary file and rename it, so that it is never half-written.":      "// Replaced as a whole, so that it is never half-written.",
		"// Through a temp file: an interrupted list is read as none.":                       "// An interrupted list is read as none.",
		"// Write to a temporary file, then rename it.":                                      "",
		"// Write to a temp file so the rename cannot be torn.":                              "// Write to a temp file so the rename cannot be torn.",
		"// The list is sorted: a torn one is told by its order.":                            "// The list is sorted: a torn one is told by its order.",
		"// Through a temp file: a torn list is read as none. Its name is that of the list.": "// Through a temp file: a torn list is read as none. Its name is that of the list.",
	} {
		if got := strings.Join(Gone(remark.About(remark.Replacing)).remaining([]string{comment}), "\n"); got != want {
			t.Errorf("of %q stays %q", comment, got)
		}
	}
}
