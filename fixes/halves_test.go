package fixes

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
)

// TestLockToWrite: a lock is taken for writing only where it is not taken once more
// under itself.
func TestLockToWrite(t *testing.T) {
	const before = "package p\nimport \"sync\"\ntype box struct { mu sync.RWMutex; n int }\n"
	for _, c := range []struct{ name, src, refusal string }{
		{"alone", `func (b *box) f() { b.mu.RLock(); b.n++; b.mu.RUnlock() }`, ""},
		{"under itself", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); if b.n++; b.n < 3 { b.f() } }`, "f is called under its own lock"},
		{"under itself, by way of another", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++; b.g() }
		func (b *box) g() { if b.n < 3 { b.f() } }`, "f is called under its own lock"},
		{"in what it calls", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++; b.g() }
		func (b *box) g() { b.h() }
		func (b *box) h() { b.mu.RLock(); b.mu.RUnlock() }`, "h, which runs under the lock, takes it, too"},
		{"in who calls it", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++ }
		func (b *box) g() { b.f() }
		func (b *box) h() { b.mu.RLock(); defer b.mu.RUnlock(); b.g() }`, "h, which takes the lock, calls the function"},
		{"in who has let go of it", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++ }
		func (b *box) h(ok bool) { if ok { b.mu.Lock(); b.n = 0; b.mu.Unlock(); b.f() }; b.f() }`, ""},
		{"in who calls it before that", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++ }
		func (b *box) h(ok bool) { b.mu.RLock(); if ok { b.f() }; b.mu.RUnlock() }`, "h, which takes the lock, calls the function"},
		{"in who may leave with it", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++ }
		func (b *box) h(ok bool) { for { b.mu.Lock(); if ok { break }; b.mu.Unlock() }; b.f(); b.mu.Unlock() }`, "h, which takes the lock, calls the function"},
		{"in what others call", `func (b *box) f() { b.mu.RLock(); defer b.mu.RUnlock(); b.n++ }
		func (b *box) String() string { b.mu.RLock(); defer b.mu.RUnlock(); return "" }`, "String takes the lock, and what runs under it may call that"},
		{"by an interface", `func (b *box) f(g interface{ G() }) { b.mu.RLock(); defer b.mu.RUnlock(); b.n++; g.G() }`, "G, which runs under the lock, is a method of an interface"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := check([]byte(before + c.src))
			if err != nil {
				t.Fatal(err)
			}
			f := &finding.Finding{Check: "latelock"}
			ast.Inspect(p.file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && f.Pos == token.NoPos {
					f.Pos, f.End = call.Pos(), call.End()
					f.Remedy = finding.LockToWrite{Lock: call.Pos()}
				}
				return true
			})
			fixes := planned(p, []*finding.Finding{f})
			if f.NoFix != c.refusal {
				t.Fatalf("refused as %q, want %q", f.NoFix, c.refusal)
			}
			if c.refusal != "" {
				return
			}
			out, err := applyFixes(p, fixes)
			if err != nil || strings.Contains(string(out), "RLock()") || strings.Contains(string(out), "RUnlock()") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
