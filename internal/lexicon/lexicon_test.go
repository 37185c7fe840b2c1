package lexicon

import (
	"slices"
	"testing"
)

// TestLists checks that no word stands on both sides, where one would decide by the order of
// two look-ups, nor in two lists, and that each word can be found.
func TestLists(t *testing.T) {
	against := slices.Concat(Waste, []*List{Pid, Kernel})
	of := map[string]*List{}
	for _, l := range slices.Concat(State, []*List{Format}, against) {
		for w := range l.Words {
			if o := of[w]; o != nil {
				t.Errorf("%q stands in %s and in %s", w, o.ID, l.ID)
			}
			of[w] = l
		}
	}
	for _, l := range slices.Concat(State, Waste, []*List{Format, Pid, Kernel, ChosenDir, Held}) {
		for w := range l.Words {
			if got := Words(w); len(got) != 1 || got[0] != w {
				t.Errorf("%q of %s is never found: its words are %q", w, l.ID, got)
			}
		}
	}
	for w := range Notes {
		if of[w] == nil || !slices.Contains(Waste, of[w]) {
			t.Errorf("%q is no waste", w)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"HTTPServerConfig": {"http", "server", "config"},
		"sessions_v2.json": {"sessions", "v", "json"},
		"":                 nil,
		"état":             {"état"},
	} {
		if got := Words(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
