package supply

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCallsCopy(t *testing.T) {
	s, err := Choose(load.Config{}, &packages.Module{Path: "example.com/m", Dir: t.TempDir(), GoVersion: "1.12"}, Bundle, nil, false)
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
	if err := s.Compiles(); err == nil || !strings.Contains(err.Error(), "module example.com/m is of go 1.12") {
		t.Errorf("in a module of Go 1.12: %v", err)
	}
	for version, want := range map[string]bool{"1.12": false, "1.13": true, "1.17": true, "1.19": true, "1.20.3": true, "1.21": true, "1.21.0": true, "1.26": true, "": true} {
		s.Go = goVersion(&packages.Module{GoVersion: version})
		if got := s.Compiles() == nil; got != want {
			t.Errorf("Go %q builds a copy: %v", version, got)
		}
	}
}
