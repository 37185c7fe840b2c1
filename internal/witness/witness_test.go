package witness

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shapes are the experiments of the fixture, by the name of a shape in its comments.
var shapes = map[string][]string{
	"inplace":      {"full", "kill", "reader", "powercut"},
	"fixedtemp":    {"shared"},
	"nosync":       {"powercut"},
	"update":       {"update"},
	"clobber":      {"torn"},
	"trunclock":    {"truncated"},
	"unflushed":    {"unlock"},
	"earlyrelease": {"remove"},
	"racycreate":   {"create"},
	"append":       {"append"},
	"background":   {"remove"},
}

var marker = regexp.MustCompile(`// (shape|twin|locked|process|failing|untested): (\w+)$`)

// A marked is a line of the fixture that has a comment for the tests.
type marked struct {
	kind, shape string
	site        Site
}

// marks are the marked lines of the fixture.
func marks(t *testing.T, dir string) []marked {
	t.Helper()
	var list []marked
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		fn := ""
		for s, line := bufio.NewScanner(f), 1; s.Scan(); line++ {
			if name, ok := strings.CutPrefix(s.Text(), "func "); ok {
				fn, _, _ = strings.Cut(name, "(")
			}
			if m := marker.FindStringSubmatch(s.Text()); m != nil {
				list = append(list, marked{m[1], m[2], Site{File: file, Line: line, Func: fn}})
			}
		}
		f.Close()
	}
	return list
}

// cache is where the tests keep instrumented files: the go command caches builds by them.
func cache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(dir, "lockvet-witness-test")
}

// copied is a copy of a module, outside of this one.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(to)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// recorded is a session that has recorded the tests of a copy of a module.
func recorded(t *testing.T, dir string) (*Session, *Trace) {
	t.Helper()
	s, err := New(t.Context(), Options{Dir: dir, Cache: cache(t), Env: []string{"GOWORK=off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	trace, err := s.Record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, trace
}

func TestShapes(t *testing.T) {
	dir := copied(t, "testdata/shapes")
	s, trace := recorded(t, dir)
	for _, l := range trace.LeftOut {
		t.Logf("%+v", l)
	}
	var claims []Claim
	var of []marked
	for _, m := range marks(t, dir) {
		for _, x := range shapes[m.shape] {
			claims = append(claims, Claim{Site: m.site, Experiments: []string{x}})
			of = append(of, m)
		}
	}
	proofs, err := s.Prove(context.Background(), claims)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"shape": Proven, "twin": Refuted, "locked": Refuted, "process": Proven,
		"failing": Unreached, "untested": Unreached}
	var shown []string
	for i, p := range proofs {
		m := of[i]
		t.Logf("%s %s %v: %s %s: %s; reader %+v; %v -> %v\n%q\n%q", m.kind, m.shape, claims[i].Experiments, p.Verdict, p.Test, p.Says,
			p.Reader, p.Before, p.After, p.Before.Excerpt, p.After.Excerpt)
		if p.Verdict != want[m.kind] {
			t.Errorf("%s %s %v at %s:%d is %s: %s", m.kind, m.shape, claims[i].Experiments, m.site.File, m.site.Line, p.Verdict, p.Says)
		}
		if m.kind == "shape" {
			shown = append(shown, m.shape)
		}
	}
	for shape := range shapes {
		if !slices.Contains(shown, shape) {
			t.Errorf("the fixture has no shape %s", shape)
		}
	}
}

func TestSeen(t *testing.T) {
	dir := copied(t, "testdata/shapes")
	_, trace := recorded(t, dir)
	for _, l := range trace.Seen(nil) {
		t.Logf("%s: %s %s %d %d", l.Kind, l.Test, l.Says, l.Tests, l.Size)
	}
}
