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
	for _, l := range slices.Concat(State, Waste, []*List{Format, Pid, Kernel}) {
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

// TestLockPromises: what names and comments promise of a lock.
func TestLockPromises(t *testing.T) {
	for name, want := range map[string]struct{ callers, asks bool }{
		"saveLocked": {true, true}, "addUnsafe": {true, false}, "loadNoLock": {true, false},
		"IsRunning": {false, true}, "CanStart": {false, true}, "Lock": {}, "blocked": {true, false},
	} {
		if CallersLock(name) != want.callers || AsksForLock(name) != want.asks {
			t.Errorf("%s: callers hold it %t, it asks %t", name, CallersLock(name), AsksForLock(name))
		}
	}
	for text, want := range map[string]bool{
		"The caller must hold mu.":                   true,
		"flush is called with the lock held.":        true,
		"Not safe for concurrent use.":               true,
		"run is called before the server starts.":    true,
		"Stop fails if the lock is held by another.": false,
		"Save writes the file.":                      false,
		"It does not block.":                         false,
	} {
		if SaysLock(text) != want {
			t.Errorf("%q promises a lock: %t", text, !want)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string][]string{
		"":                     nil,
		"session":              {"session"},
		"sessionStore":         {"session", "store"},
		"SaveConfigJSON":       {"save", "config", "json"},
		"JSONPath":             {"json", "path"},
		"HTTPServerID":         {"http", "server", "id"},
		"agent_registry-v2.db": {"agent", "registry", "v", "db"},
		"~/.config/x":          {"config", "x"},
		"2026":                 nil,
		"sessions_v2.json":     {"sessions", "v", "json"},
		"état.json":            {"état", "json"},
	} {
		if got := Words(in); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q, want %q", in, got, want)
		}
	}
}
