package supply

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

// systems have files of their own in a copy.
var systems = []string{"linux", "darwin", "windows", "plan9"}

// The copy is not written in the language that precedes the one it is said to be
// written in; TestNeededCompiles compiles it in that.
func TestLanguage(t *testing.T) {
	all, err := copied("test")
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, "1.17")
	for name, content := range all {
		write(t, filepath.Join(dir, name), content)
	}
	out, err := command(dir, "linux", "build", "-gcflags=-e").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "requires go"+language) {
		t.Errorf("%v\n%s", err, out)
	}
}

// What mended code can call needs no newer library than it is said to, and what it
// cannot call is seen to need one.
func TestLibrary(t *testing.T) {
	all, err := copied("test")
	if err != nil {
		t.Fatal(err)
	}
	called := make(map[string]bool)
	for _, f := range []string{"WriteFile", "Create", "Lock", "RLock", "TryLock", "Append"} {
		called[f] = true
	}
	for _, c := range []struct {
		also string
		new  string
	}{{"", ""}, {"Records", "iter.Seq2 requires go1.23"}} {
		called[c.also] = true
		needed, err := Needed(all, called)
		if err != nil {
			t.Fatal(err)
		}
		dir := module(t, Library)
		for name := range needed {
			write(t, filepath.Join(dir, name), body(all[name])) // vet lets generated files be
		}
		for _, system := range systems {
			out, err := command(dir, system, "vet", "-stdversion").CombinedOutput()
			if c.new == "" && err != nil || !strings.Contains(string(out), c.new) {
				t.Errorf("%s with %q: %v\n%s", system, c.also, err, out)
			}
		}
	}
	uses := regexp.MustCompile(`\berrors\.ErrUnsupported\b`) // of Go 1.21
	if !uses.Match(all["sys_unix.go"]) {
		t.Error("sys_unix.go, which every copy has, could do with an older library")
	}
}

func TestCallsCopy(t *testing.T) {
	s, err := Choose(load.Config{}, &packages.Module{Path: "example.com/m", Dir: "/m", GoVersion: "1.17"}, Bundle)
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
	for version, want := range map[string]bool{"1.18": true, "1.20.3": true, "1.21": false, "1.21.0": false, "1.26": false, "": true} {
		s.Go = goVersion(&packages.Module{GoVersion: version})
		if got := s.PromisesLess(); got != want {
			t.Errorf("Go %q promises less: %v", version, got)
		}
	}
}
