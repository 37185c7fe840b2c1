package memory_test

import (
	"testing"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// TestLine checks what a write is to the lines of a file.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		write string
		want  memory.Line
	}{
		{`w.Write(b)`, memory.LineUnknown},
		{`w.WriteString(s)`, memory.LineUnknown},
		{`w.WriteString(s + "x")`, memory.LinePart},
		{`w.WriteString("x" + s)`, memory.LineUnknown},
		{`w.WriteString(s + "\n")`, memory.LineWhole},
		{`w.WriteString("\n")`, memory.LineBreak},
		{`w.WriteString(",\r\n")`, memory.LineBreak},
		{`w.WriteString("--\n")`, memory.LineWhole},
		{`w.WriteString("")`, memory.LineUnknown},
		{`w.Write([]byte("\n"))`, memory.LineBreak},
		{`w.Write([]byte(s + "\n"))`, memory.LineWhole},
		{`w.Write([]byte{'\n'})`, memory.LineBreak},
		{`w.Write([]byte{'\r', '\n'})`, memory.LineWhole},
		{`w.Write([]byte{'[', ']'})`, memory.LinePart},
		{`w.Write(nl)`, memory.LineBreak},
		{`w.Write(changed)`, memory.LineUnknown},
		{`w.Write(append(b, '\n'))`, memory.LineWhole},
		{`w.Write(append(b, "\n"...))`, memory.LineWhole},
		{`w.Write(append(b, b...))`, memory.LineUnknown},
		{`w.Write(append(b, ' '))`, memory.LinePart},
		{`b = append(b, '\n'); w.Write(b)`, memory.LineWhole},
		{`if s == "" { b = append(b, '\n') }; w.Write(b)`, memory.LineUnknown},
		{`b = append(b, '\n'); w.Write(b[:1])`, memory.LineUnknown},
		{`io.WriteString(w, "a: ")`, memory.LinePart},
		{`fmt.Fprintln(w)`, memory.LineBreak},
		{`fmt.Fprintln(w, s)`, memory.LineWhole},
		{`fmt.Fprintf(w, "%s\n", s)`, memory.LineWhole},
		{`fmt.Fprintf(w, "%s", s)`, memory.LineUnknown},
		{`fmt.Fprintf(w, "%-5d", n)`, memory.LineUnknown},
		{`fmt.Fprintf(w, "%d: ", n)`, memory.LinePart},
		{`fmt.Fprintf(w, "\n")`, memory.LineBreak},
		{`fmt.Fprintf(w, s)`, memory.LineUnknown},
		{`fmt.Fprint(w, "\n")`, memory.LineBreak},
		{`fmt.Fprint(w, s, "\n")`, memory.LineWhole},
		{`fmt.Fprint(w, s)`, memory.LineUnknown},
		{`w.WriteString(fmt.Sprintf("%d\n", n))`, memory.LineWhole},
		{`w.WriteString(fmt.Sprintln(n))`, memory.LineWhole},
		{`json.NewEncoder(w).Encode(s)`, memory.LineWhole},
		{`bufio.NewWriter(w).WriteByte('\n')`, memory.LineBreak},
		{`bufio.NewWriter(w).WriteByte('x')`, memory.LinePart},
	} {
		f := effectstest.Body(t, "var nl = []byte(\"\\n\")\nvar changed = nl\nfunc init() { changed = []byte(\"x\") "+
			"}\nfunc f(w *os.File, b []byte, s string, n int) {\n"+c.write+"\nw.Sync()\n}")
		var got []memory.Line
		for _, e := range f.Effects {
			if e.Kind == effects.Write {
				got = append(got, e.Line)
			}
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, want %v", c.write, got, c.want)
		}
	}
}

// TestBuffer checks which writers keep bytes back.
func TestBuffer(t *testing.T) {
	for _, c := range []struct{ write, want string }{
		{`w.WriteString("")`, ""},
		{`json.NewEncoder(w).Encode(1)`, ""},
		{`bufio.NewWriter(w).WriteString("")`, "bufio"},
		{`json.NewEncoder(bufio.NewWriter(w)).Encode(1)`, "bufio"},
		{`bufio.NewWriter(gzip.NewWriter(w)).WriteString("")`, "gzip"},
	} {
		f := effectstest.Body(t, "func f() {\nw, _ := os.OpenFile(\"p\", os.O_APPEND|os.O_WRONLY, 0)\n"+c.write+"\n}")
		if got := memory.Buffer(f.Effects[len(f.Effects)-1].Handle); got != c.want {
			t.Errorf("%s: %q, want %q", c.write, got, c.want)
		}
	}
}

// TestDay checks that a name which tells the day is no unique one.
func TestDay(t *testing.T) {
	for layout, unique := range map[string]bool{`"2006-01-02"`: false, `"20060102"`: false, `"20060102-150405"`: true, `time.RFC3339`: true, `layout`: true} {
		f := effectstest.Body(t, "func f(layout string) { os.Remove(\"a-\" + time.Now().UTC().Format("+layout+") + \".jsonl\") }")
		if got := f.Effects[0].Path.Last().Has(pathexpr.Random); got != unique {
			t.Errorf("%s: unique %v", layout, got)
		}
	}
}
