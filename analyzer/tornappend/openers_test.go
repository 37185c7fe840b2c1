package tornappend

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/srctest"
)

// TestRepeats checks that a loop which opens the file anew writes once to each.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{`w, _ := os.OpenFile("p", os.O_APPEND|os.O_WRONLY, 0); w.WriteString("")`, false},
		{`w, _ := os.OpenFile("p", os.O_APPEND|os.O_WRONLY, 0); for range n { w.WriteString("") }`, true},
		{`for range n { w, _ := os.OpenFile("p", os.O_APPEND|os.O_WRONLY, 0); w.WriteString("") }`, false},
		{`for range n { w, _ := os.OpenFile("p", os.O_APPEND|os.O_WRONLY, 0); if n > 1 { w.WriteString("") } }`, false},
	} {
		p := effectstest.New(t).Build("example.com/agentd/p", srctest.Complete("func f(n int) {\n"+c.text+"\n}"))
		f := effectstest.Find(t, p, "f")
		if got := repeats(p, f.Effects[0], f.Effects[1]); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}

// TestOpeners checks that the opening of the file in a field is told only where
// all that is ever put there is known.
func TestOpeners(t *testing.T) {
	const head = `type log struct { file *os.File }
	func open(p string) (*os.File, error) { return os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0) }
	func a(p string) *log { f, _ := open(p); return &log{file: f} }
	func (l *log) f() { l.file.WriteString("") }
	`
	for _, c := range []struct {
		more string
		want int
	}{
		{"", 1},
		{`func b(l *log, p string) { l.file.Close(); l.file, _ = open(p) }`, 2},
		{`func b(l *log, p string) { f, _ := open(p); l.file = f }`, 2},
		{`func b(l *log) { l.file = nil }`, 1},
		{`func b(f *os.File) *log { return &log{f} }`, 0},
		{`func b(l *log, f *os.File) { l.file = f }`, 0},
	} {
		p := effectstest.New(t).Build("example.com/agentd/p", srctest.Complete(head+c.more))
		var h *pathexpr.Term
		for _, e := range effectstest.Find(t, p, "f").Effects {
			if e.Kind == effects.Write {
				h = e.Handle
			}
		}
		if got := openers(p, h); len(got) != c.want {
			t.Errorf("%s: %d openers, want %d", c.more, len(got), c.want)
		}
	}
}
