package pathexpr

import (
	"regexp"
	"testing"
)

func TestMatches(t *testing.T) {
	re := regexp.MustCompile("^black")
	for _, c := range []struct {
		term *Term
		want bool
	}{
		{join(dir, text("blackboard")), true},
		{join(dir, text("black/board")), true},
		{join(dir, text("my-blackboard")), false},
		{NewParam(0, "blackPath", ""), true},
		{NewField(store, "T", "blackFile"), true},
		{New(Global, "example.com/black.path"), false},
		{New(Global, "example.com/a.blackPath"), true},
		{nil, false},
	} {
		if got := Matches(c.term, re); got != c.want {
			t.Errorf("%s: %t, want %t", c.term, got, c.want)
		}
	}
}
