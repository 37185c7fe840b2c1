package gate

import (
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/srctest"
)

// TestSuspects checks which types are looked at although they stand for no file.
func TestSuspects(t *testing.T) {
	const box = `
		type box struct { mu sync.RWMutex; n int; m map[string]int; name string; s []string }
		func (b *box) one() int { b.mu.Lock(); defer b.mu.Unlock(); return b.n + b.m["a"] + len(b.s) }
		func (b *box) two() { b.mu.Lock(); b.n++; b.m["b"] = len(b.s); b.mu.Unlock() }
	`
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"all under the lock", "", false},
		{"before the lock", `func (b *box) three() { b.n++; b.mu.Lock(); defer b.mu.Unlock() }`, true},
		{"behind the lock", `func (b *box) three() { b.mu.Lock(); b.mu.Unlock(); b.n++ }`, true},
		{"behind the lock, on a way that ends", `func (b *box) three(x bool) { b.mu.Lock(); if x { b.mu.Unlock(); return }; b.n++; b.mu.Unlock() }`, false},
		{"what nobody changes", `func (b *box) three() string { s := b.name; b.mu.Lock(); defer b.mu.Unlock(); return s + b.name }`, false},
		{"under the lock of readers", `func (b *box) three() { b.mu.RLock(); defer b.mu.RUnlock(); m := b.m; m["c"] = 1 }`, true},
		{"in a callee, under the lock of readers", `
			func (b *box) three() { b.mu.RLock(); defer b.mu.RUnlock(); b.four() }
			func (b *box) four() { b.five() }
			func (b *box) five() { delete(b.m, "c") }`, true},
		{"in two sections", `func (b *box) three() { b.mu.RLock(); _, ok := b.m["c"]; b.mu.RUnlock(); if !ok { b.mu.Lock(); b.m["c"] = 1; b.mu.Unlock() } }`, true},
		{"before a call that takes the lock", `func (b *box) three() { b.n--; b.two() }`, true},
		{"without the lock", `func (b *box) three() { b.n = 1 }`, false},
		{"an element without the lock", `func (b *box) three() int { return b.m["c"] }`, true},
		{"an element by a helper of who has the lock", `
			func (b *box) three() int { b.mu.Lock(); defer b.mu.Unlock(); return b.four() }
			func (b *box) four() int { return b.m["c"] }`, false},
		{"an element by a helper of who has it, and of who has not", `
			func (b *box) three() int { b.mu.Lock(); defer b.mu.Unlock(); return b.four() }
			func (b *box) four() int { return b.m["c"] }
			func (b *box) five() int { return b.four() }`, true},
		{"an element in a function that says it has the lock", `func (b *box) threeLocked() int { return b.m["c"] }`, false},
		{"a list that nobody changes under the lock", `func (b *box) three() { b.s = append(b.s, "c") }`, false},
		{"an element in a constructor", `func newBox(b *box) { b.m["c"] = 1 }`, false},
		{"an element behind a lock on one way", `func (b *box) three(x bool) int { if x { b.mu.Lock(); b.mu.Unlock() }; return b.m["c"] }`, true},
		{"a number in a loop that waits", `func (b *box) three(c chan int) { for b.n > 0 { select { case <-c: } } }`, true},
		{"a number in a loop that does not wait", `func (b *box) three() { for b.n > 0 { println() } }`, false},
		{"a number for a call that takes the lock", `
			func three(b *box) { b.four(b.n) }
			func (b *box) four(n int) { b.mu.Lock(); println(n); b.mu.Unlock() }`, true},
		{"a number behind a lock on one way", `func (b *box) three(x bool) int { if x { b.mu.Lock(); b.mu.Unlock() }; return b.n }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pass := srctest.NewWorld(t).Pass("example.com/agentd/p", srctest.Complete(box+c.src))
			suspects := Suspects(pass)
			if got := suspects[pass.Pkg.Scope().Lookup("box")]; got != c.want {
				t.Errorf("suspect: %v, want %v", got, c.want)
			}
			s := New(pass, Config{Suspects: suspects, Acts: nothing})
			var kept []string
			for _, u := range s.units {
				if u.included {
					kept = append(kept, u.fn.Name.Name)
				}
			}
			if len(kept) > 0 {
				t.Errorf("kept %q, which have nothing to do with files", kept)
			}
			if alone := slices.ContainsFunc(s.units, func(u *unit) bool { return u.alone }); alone != c.want {
				t.Errorf("kept for the object: %v, want %v", alone, c.want)
			}
			SSA(s, s.Files()) // it builds
		})
	}
}

// TestSuspectsOfOneFunction checks that a type counts whose lock one function takes to look, and
// which that function changes without it.
func TestSuspectsOfOneFunction(t *testing.T) {
	pass := srctest.NewWorld(t).Pass("example.com/agentd/p", srctest.Complete(`
		type box struct { mu sync.Mutex; m map[string]int }
		func (b *box) one() { b.mu.Lock(); _, ok := b.m["a"]; b.mu.Unlock(); if !ok { b.m["a"] = 1 } }
	`))
	if !Suspects(pass)[pass.Pkg.Scope().Lookup("box")] {
		t.Error("not suspect")
	}
}

// TestSharers checks which functions are kept for a lock that is a variable.
func TestSharers(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"in a loop", `func f() { var mu sync.Mutex; for range 3 { go func() { mu.Lock(); mu.Unlock() }() } }`, true},
		{"by a method", `func f(wg *sync.WaitGroup) { mu := &sync.Mutex{}; for range 3 { wg.Go(func() { mu.Lock(); mu.Unlock() }) } }`, true},
		{"once", `func f() { var mu sync.Mutex; go func() { mu.Lock(); mu.Unlock() }() }`, false},
		{"no goroutine", `func f() { var mu sync.Mutex; for range 3 { func() { mu.Lock(); mu.Unlock() }() } }`, false},
		{"a lock from elsewhere", `func f(mu *sync.Mutex) { for range 3 { go func() { mu.Lock(); mu.Unlock() }() } }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pass := srctest.NewWorld(t).Pass("example.com/agentd/p", srctest.Complete(c.src))
			suspects := Suspects(pass)
			if got := suspects[pass.Pkg.Scope().Lookup("f")]; got != c.want {
				t.Errorf("suspect: %v, want %v", got, c.want)
			}
			s := New(pass, Config{Suspects: suspects, Acts: nothing})
			if alone := slices.ContainsFunc(s.units, func(u *unit) bool { return u.alone }); alone != c.want {
				t.Errorf("kept for the lock: %v, want %v", alone, c.want)
			}
		})
	}
}
