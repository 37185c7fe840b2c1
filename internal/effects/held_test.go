package effects

import (
	"slices"
	"strings"
	"testing"
)

// TestReaches checks what follows what, deferred calls included, and what can.
func TestReaches(t *testing.T) {
	p := newWorld(t).build("example.com/agentd/p", `package p
	import ("os"; "sync")
	var mu sync.Mutex
	func f(again bool) {
		defer os.Remove("last")
		mu.Lock()
		defer mu.Unlock()
		for again {
			os.Remove("loop")
			os.Remove("round")
		}
		if again {
			os.Remove("maybe")
		}
		os.Remove("end")
	}`)
	f := find(t, p, "f")
	get := func(l string) *Effect {
		i := slices.IndexFunc(f.Effects, func(e *Effect) bool { return strings.HasPrefix(label(e), l) })
		if i < 0 {
			t.Fatalf("there is no %s among: %s", l, trace(f))
		}
		return f.Effects[i]
	}
	for _, c := range []struct {
		a, b             string
		reaches, follows bool
	}{
		{"release", "remove last", true, true},
		{"remove last", "release", false, false},
		{"acquire", "release", true, true},
		{"remove end", "release", true, true},
		{"release", "remove end", false, false},
		{"remove round", "remove loop", true, false},
		{"remove maybe", "remove end", true, false},
		{"remove end", "remove maybe", false, false},
	} {
		if got := Reaches(get(c.a), get(c.b)); got != c.reaches {
			t.Errorf("%s reaches %s: %v", c.a, c.b, got)
		}
		if got := Follows(get(c.a), get(c.b)); got != c.follows {
			t.Errorf("%s is followed by %s: %v", c.a, c.b, got)
		}
	}
}

// TestLocalStays checks that no fact speaks of the locks of a process, nor of
// where it keeps its handles.
func TestLocalStays(t *testing.T) {
	w := newWorld(t)
	w.build("example.com/agentd/disk", `package disk
	import ("os"; "sync")
	type Box struct { mu sync.Mutex; f *os.File }
	func (b *Box) Open(path string) (err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		f, err := os.Create(path)
		b.f = f
		return err
	}`)
	seen := 0
	for obj, facts := range w.Objects {
		s, ok := facts[0].(*Summary)
		if !ok {
			continue
		}
		for _, e := range s.Effects {
			if seen++; e.Kind >= Acquire {
				t.Errorf("the fact of %s has an effect of kind %d", obj.Name(), e.Kind)
			}
		}
	}
	if seen == 0 {
		t.Error("there is no fact")
	}
}
