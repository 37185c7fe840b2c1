package linediff_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/linediff"
)

func TestEdits(t *testing.T) {
	for _, test := range []struct{ old, fresh string }{
		{"", ""},
		{"", "a\nb"},
		{"a\nb", ""},
		{"a\nb\nc\n", "a\nb\nc\n"},
		{"a\nb\nc\n", "a\nx\ny\nc\n"},
		{"a\nb\nc", "a\nb\nc\n"},
		{"a\nb\nc\nd\ne\n", "b\nc\nX\nd\n"},
		{"\n\n", "\n"},
		{"a\r\nb\r\n", "a\nb\r\n"},
	} {
		var b strings.Builder
		at := 0
		for _, e := range linediff.Edits(test.old, test.fresh) {
			if e.Start > 0 && test.old[e.Start-1] != '\n' {
				t.Errorf("%q to %q: an edit begins within a line: %v", test.old, test.fresh, e)
			}
			b.WriteString(test.old[at:e.Start] + e.New)
			at = e.End
		}
		b.WriteString(test.old[at:])
		if b.String() != test.fresh {
			t.Errorf("the edits from %q to %q make %q", test.old, test.fresh, b.String())
		}
	}
}

func TestUnified(t *testing.T) {
	for _, test := range []struct{ old, fresh, want string }{
		{"a\n", "a\n", ""},
		{"a\nb\nc\nd\n", "a\nB\nc\nd\n", "--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"", "a\n", "--- x\n+++ y\n@@ -0,0 +1,1 @@\n+a\n"},
		{"a\n", "", "--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n"},
		{"a\n", "a", "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n"},
	} {
		if got := linediff.Unified("x", "y", test.old, test.fresh, 1); got != test.want {
			t.Errorf("from %q to %q:\n%s\nwant\n%s", test.old, test.fresh, got, test.want)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, test := range []struct {
		old, fresh string
		head, tail int
	}{
		{"abc", "abc", 3, 0},
		{"abc", "axc", 1, 1},
		{"aa", "aaa", 2, 0},
		{"é", "è", 0, 0},
		{"xé", "xèé", 1, 2},
	} {
		if head, tail := linediff.Common(test.old, test.fresh); head != test.head || tail != test.tail {
			t.Errorf("%q and %q have %d and %d bytes in common, want %d and %d", test.old, test.fresh, head, tail, test.head, test.tail)
		}
	}
}
