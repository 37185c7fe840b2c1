package lockset

import "testing"

// limits are shapes in which a lock is easily taken for another, or for held.
var limits = []struct{ name, src string }{
	{"objects made in loops", `
	func next() *S { s := &S{}; for cond() { if cond() { s = &S{} }; for cond() { use(s.n) } }; return s }
	func f() {
		s := next()
		s.n++ // none
	}`},
}

// TestLimits checks shapes that are easily got wrong.
func TestLimits(t *testing.T) {
	for _, c := range limits {
		t.Run(c.name, func(t *testing.T) { checkMarks(t, c.src) })
	}
}
