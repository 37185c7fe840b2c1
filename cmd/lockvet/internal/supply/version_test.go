package supply

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/bundle"
)

// TestLibrary: a copy needs no newer library than it is said to, and what it leaves out
// because it does is seen to need one. Copies compile in the language of that version.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("vets copies for four systems")
	}
	for _, c := range []struct {
		called []string
		new    string
	}{
		{[]string{"WriteFile", "Create", "Lock", "RLock", "TryLock", "Append", "Update"}, ""},
		{[]string{"Records"}, "iter.Seq2 requires go1.23"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo "+Library+"\n"))
		files, err := bundle.Copy(c.called, "test")
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			write(t, filepath.Join(dir, name), body(content)) // vet lets generated files be
		}
		for _, system := range []string{"linux", "darwin", "windows", "plan9"} {
			cmd := exec.Command("go", "vet", ".")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+system, "GOWORK=off", "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			if c.new == "" && err != nil || !strings.Contains(string(out), c.new) {
				t.Errorf("%s with %v: %v\n%s", system, c.called, err, out)
			}
		}
	}
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCallsCopy(t *testing.T) {
	s, err := Choose(load.Config{}, &packages.Module{Path: "example.com/m", Dir: t.TempDir(), GoVersion: "1.17"}, Bundle, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`"example.com/m/internal/safeio"`: true, "safeio.WriteFile": true, "mu.Unlock()": false, "unsafeio": false,
	} {
		fix := &analysis.SuggestedFix{TextEdits: []analysis.TextEdit{{NewText: []byte(text)}}}
		if got := s.CallsCopy(fix); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if err := s.Compiles(); err == nil || !strings.Contains(err.Error(), "module example.com/m is of go 1.17") {
		t.Errorf("in a module of Go 1.17: %v", err)
	}
	for version, want := range map[string]bool{"1.18": false, "1.20.3": false, "1.21": true, "1.21.0": true, "1.26": true, "": false} {
		s.Go = goVersion(&packages.Module{GoVersion: version})
		if got := s.Compiles() == nil; got != want {
			t.Errorf("Go %q builds a copy: %v", version, got)
		}
	}
}
