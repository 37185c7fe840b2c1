package witness

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// shapes are the experiments of the fixture, by the name of a shape in its comments.
var shapes = map[string][]string{
	"inplace":      {"full", "kill", "reader", "powercut"},
	"fixedtemp":    {"shared"},
	"pidtemp":      {"goroutine"},
	"nosync":       {"powercut"},
	"update":       {"update"},
	"clobber":      {"torn"},
	"trunclock":    {"truncated"},
	"unflushed":    {"unlock"},
	"earlyrelease": {"remove"},
	"racycreate":   {"create"},
	"append":       {"append"},
	"background":   {"remove"},
	"reclaim":      {"reclaim"},
	"publish":      {"replace"},
	"crossdir":     {"crossdir"},
	"stucktemp":    {"stuck"},
	"dropped":      {"dropped"},
}

var marker = regexp.MustCompile(`// (shape|twin|alone|left|first|locked|process|built|failing|untested): (\w+)$`)

// A marked is a line of the fixture that has a comment for the tests.
type marked struct {
	kind, shape string
	site        Site
}

// marks are the marked lines of the fixture.
func marks(t *testing.T, dir string) []marked {
	t.Helper()
	var list []marked
	for _, file := range goFiles(t, dir) {
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

func goFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// cache is where the tests keep instrumented files: the go command caches builds by them.
func cache(t testing.TB) string {
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

// recorded is a session that has recorded the tests of a module.
func recorded(t *testing.T, dir string) (*Session, *Trace) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("locks are seen on Linux only")
	}
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

// TestShapes executes each shape of the fixture and its twin.
func TestShapes(t *testing.T) {
	dir := copied(t, "testdata/shapes")
	files := listed(t, dir)
	s, trace := recorded(t, dir)
	if len(trace.LeftOut) != 1 || trace.LeftOut[0].Test != "TestFails" {
		t.Errorf("left out: %v; want TestFails", trace.LeftOut)
	}
	var claims []Claim
	var of []marked
	for _, m := range marks(t, dir) {
		for _, x := range shapes[m.shape] {
			claims = append(claims, Claim{Site: m.site, Acts: []string{x}})
			of = append(of, m)
		}
	}
	proofs, err := s.Prove(t.Context(), claims)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"shape": Proven, "twin": Refuted, "locked": Refuted, "process": Proven, "built": Proven,
		"first": Proven, "alone": Unreached, "left": Unreached, "failing": Unreached, "untested": Unreached}
	proven := map[string]bool{}
	for i, p := range proofs {
		m := of[i]
		t.Logf("%s %s: %s by %s at %s: %s\n%v %q -> %v %q; %+v", m.kind, m.shape, p.Verdict, p.Test, p.At, p.Says,
			p.Before, p.Before.Excerpt, p.After, p.After.Excerpt, p.Reader)
		if p.Verdict != want[m.kind] || p.Says == "" {
			t.Errorf("%s %s %v at %s:%d is %s: %s", m.kind, m.shape, claims[i].Acts, m.site.File, m.site.Line,
				p.Verdict, p.Says)
		}
		if x := claims[i].Acts[0]; m.kind == "twin" && (x == "full" || x == "kill") &&
			!strings.Contains(p.Says, "still holds what it held") {
			t.Errorf("the twin of %s says %s", m.shape, p.Says)
		}
		if m.kind == "shape" && m.shape == "nosync" && filepath.Base(p.File) != "state.json" {
			t.Errorf("the file at stake is %s; want state.json", p.File)
		}
		if m.kind == "shape" && p.Verdict == Proven {
			proven[claims[i].Acts[0]] = true
		}
	}
	for _, x := range experiments {
		if !proven[x.act] {
			t.Errorf("no shape shows the experiment %s", x.act)
		}
	}
	if now := listed(t, dir); !slices.Equal(files, now) {
		t.Errorf("the module has %v; want %v", now, files)
	}
	seen(t, trace, marks(t, dir))
}

// seen checks that a run shows the shapes that it can show without B, and no twin.
func seen(t *testing.T, trace *Trace, marks []marked) {
	t.Helper()
	kinds := map[string]string{"inplace": "truncation", "trunclock": "truncation", "nosync": "unsynced", "update": "update"}
	var known []Site
	for _, m := range marks {
		if m.kind != "twin" {
			known = append(known, m.site)
		}
	}
	// The truncation of the unflushed shape is on a line of its own.
	for _, l := range trace.Seen(known) {
		if !strings.HasSuffix(l.Site.Func, ".WriteUnflushed") {
			t.Errorf("seen beyond the shapes: %s %s", l.Kind, l.Says)
		}
	}
	all := trace.Seen(nil)
	for _, m := range marks {
		without := trace.Seen([]Site{m.site})
		switch {
		case m.kind == "twin" && len(without) != len(all):
			t.Errorf("the twin of %s is seen", m.shape)
		case m.kind == "shape" && kinds[m.shape] != "" && len(without) == len(all):
			t.Errorf("the shape %s is not seen", m.shape)
		}
	}
	for _, l := range all {
		if l.Test == "" || l.Package == "" || l.Tests == 0 || l.Says == "" || l.Site.Line == 0 {
			t.Errorf("%+v lacks something", l)
		}
	}
}

// TestReaders has the program's own reader answer for what is left.
func TestReaders(t *testing.T) {
	dir := copied(t, "testdata/shapes")
	s, _ := recorded(t, dir)
	for _, m := range marks(t, dir) {
		if m.shape != "inplace" || m.kind != "shape" {
			continue
		}
		for _, x := range shapes[m.shape] {
			proofs, err := s.Prove(t.Context(), []Claim{{Site: m.site, Acts: []string{x}}})
			if err != nil {
				t.Fatal(err)
			}
			r := proofs[0].Reader
			if r.Func != "load" || r.Error != "unexpected end of JSON input" || filepath.Base(r.Site.File) != "whole.go" {
				t.Errorf("%s: the reader says %+v", x, r)
			}
		}
	}
}

// listed are the files of a directory, with their sizes.
func listed(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, e := d.Info()
			if e != nil {
				return e
			}
			list = append(list, fmt.Sprint(path, info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
