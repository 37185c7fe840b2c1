package fixes

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/lockvet/lockvet/internal/finding"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reason is why a finding has no fix, without the place in the way.
func reason(f *finding.Finding) string { return inTheWay.ReplaceAllString(f.NoFix, "") }

var inTheWay = regexp.MustCompile(`, at p\.go:\d+$`)

// nofix is the mark of a line that gets no fix, and why.
var nofix = regexp.MustCompile(`// nofix: (.*)`)

// TestGolden fixes every fixture: in.go becomes out.go, and the lines marked
// "nofix" are refused for the reason that they name, those marked "doubt" leave something to decide.
func TestGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			golden(t, path)
		})
	}
}

func golden(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(data)
	crlf := strings.Contains(path, "crlf")
	in := ar.Files[0].Data
	if crlf {
		in = []byte(strings.ReplaceAll(string(in), "\n", "\r\n"))
	}
	p, err := check(in)
	if err != nil {
		t.Fatal(err)
	}
	fs := findings(p.pass)
	fixes := planned(p, fs)
	for _, f := range fs {
		pos := p.pass.Fset.Position(f.Pos)
		line := strings.Split(string(in), "\n")[pos.Line-1]
		want := ""
		if m := nofix.FindStringSubmatch(line); m != nil {
			want = strings.TrimSpace(m[1])
		}
		if (f.Fix == nil) == (f.NoFix == "") {
			t.Errorf("line %d: Fix and NoFix both set or both empty", pos.Line)
		}
		if reason(f) != want {
			t.Errorf("line %d: refused because %q, want %q", pos.Line, f.NoFix, want)
		}
		if _, want, _ := strings.Cut(line, "// doubt: "); f.Doubt != strings.TrimSpace(want) {
			t.Errorf("line %d: in doubt because %q, want %q", pos.Line, f.Doubt, want)
		}
	}
	subsets(t, p, fixes)
	out, err := applyFixes(p, fixes)
	if err != nil {
		t.Fatal(err)
	}
	again(t, out)
	if crlf {
		out = []byte(strings.ReplaceAll(string(out), "\r\n", "\n"))
	}
	if *update {
		ar.Files = append(ar.Files[:1], txtar.File{Name: "out.go", Data: out})
		if err := os.WriteFile(path, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(ar.Files) != 2 || string(ar.Files[1].Data) != string(out) {
		t.Errorf("got:\n%s", out)
	}
}

// again checks that a second run finds nothing left to fix.
func again(t *testing.T, out []byte) {
	t.Helper()
	p, err := check(out)
	if err != nil {
		t.Errorf("fixed: %v", err)
		return
	}
	for _, f := range planned(p, findings(p.pass)) {
		t.Errorf("a second run still offers: %s", f.Message)
	}
}
