package analyse

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

// A cached is a module whose packages are analysed with a cache: app imports store,
// which has a finding, alone imports nothing of the module, and old is not named but
// imported by app.
type cached struct {
	t        *testing.T
	dir      string // of the module
	cache    string
	settings []Setting
	safeio   string
	during   func(*analysis.Pass) // called when a package is analysed
}

func newCached(t *testing.T) *cached {
	t.Helper()
	c := &cached{t: t, dir: t.TempDir(), cache: t.TempDir(), safeio: analyzer.DefaultSafeio}
	c.write("go.mod", "module example.com/m\n\ngo 1.24\n")
	c.write("internal/store/store.go", strings.Replace(alike, "package p", "package store", 1))
	c.write("old/old.go", "package old\n\nfunc Old() {}\n")
	c.write("app/app.go", "package main\n\nimport (\n\"example.com/m/internal/store\"\n\"example.com/m/old\"\n)\n\nfunc main() { _ = store.Save; old.Old() }\n")
	c.write("alone/alone.go", strings.Replace(alike, "package p", "package alone", 1))
	return c
}

// write writes a file as if that had been a while ago.
func (c *cached) write(name, content string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		c.t.Fatal(err)
	}
	before := time.Now().Add(-time.Minute)
	if err := os.Chtimes(name, before, before); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cached) read(name string) string {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(content)
}

// run returns which packages were analysed, and what the run said.
func (c *cached) run() (analysed []string, said string) {
	c.t.Helper()
	cache, err := OpenCache(c.cache)
	if err != nil {
		c.t.Fatal(err)
	}
	config := load.Config{Dir: c.dir}
	named, err := config.Packages("./app", "./alone", "./internal/store")
	if err != nil {
		c.t.Fatal(err)
	}
	var mu sync.Mutex
	imported := load.Imported(named)
	r := Runner{
		Load:     config,
		Settings: c.settings,
		SafeIO:   func(*packages.Package) string { return c.safeio },
		Cache:    cache,
		Uses:     live.NewUses(slices.Concat(named, imported)),
		New: func(helper *types.Func) *analysis.Analyzer {
			a := analyzer.NewWithHelper(helper)
			run := a.Run
			a.Run = func(pass *analysis.Pass) (any, error) {
				mu.Lock()
				analysed = append(analysed, strings.TrimPrefix(pass.Pkg.Path(), "example.com/m/"))
				mu.Unlock()
				if c.during != nil {
					c.during(pass)
				}
				return run(pass)
			}
			return a
		},
	}
	out, err := r.Run(named, imported)
	if err != nil {
		c.t.Fatal(err)
	}
	slices.Sort(analysed)
	dead := r.Uses.Dead()
	for _, f := range out.Found {
		said += tell(f, dead)
	}
	return analysed, said
}

// tell is all that a finding says, wherever the file has its place in memory.
func tell(f *Found, dead func(live.Name) bool) string {
	at := f.Pkg.Fset.Position
	var b strings.Builder
	fmt.Fprintf(&b, "%v-%v %s %s %q %v dead %t %s\n", at(f.Pos), at(f.End), f.Category(), f.Func, f.Sentence, f.Decl, dead(f.Decl), f.Fingerprint)
	for _, e := range f.Evidence {
		fmt.Fprintf(&b, "%v %s\n", at(e.Pos), e.Text)
	}
	for _, s := range f.Schedule {
		fmt.Fprintf(&b, "%v %s %s %s\n", at(s.Pos), s.Actor, s.Does, s.File)
	}
	if f.Fix != nil {
		for _, e := range f.Fix.TextEdits {
			fmt.Fprintf(&b, "%v-%v %q\n", at(e.Pos), at(e.End), e.NewText)
		}
	}
	return b.String() + f.NoFix + "\n"
}

// TestCache changes something between two runs and looks at what the second one
// analyses. What it says is what a run without a cache would.
func TestCache(t *testing.T) {
	all := []string{"alone", "app", "internal/store", "old"}
	tests := []struct {
		name   string
		change func(*cached)
		want   []string
	}{
		{"nothing", func(*cached) {}, nil},
		{"touched", func(c *cached) { c.write("old/old.go", c.read("old/old.go")) }, nil},
		{"a package", func(c *cached) { c.write("alone/alone.go", "// Moved.\n"+c.read("alone/alone.go")) }, []string{"alone"}},
		{"a word", func(c *cached) {
			c.write("alone/alone.go", strings.ReplaceAll(c.read("alone/alone.go"), "session.json", "history.json"))
		}, []string{"alone"}},
		{"one that others import", func(c *cached) {
			c.write("internal/store/store.go", "// Moved.\n"+c.read("internal/store/store.go"))
		}, []string{"app", "internal/store"}},
		{"one that is not named", func(c *cached) { c.write("old/old.go", "package old\n\nfunc Old() { println() }\n") }, []string{"app", "old"}},
		{"a file more", func(c *cached) { c.write("alone/more.go", "package alone\n") }, []string{"alone"}},
		{"who comes to it", func(c *cached) {
			c.write("app/app.go", "package main\n\nimport (\n_ \"example.com/m/internal/store\"\n\"example.com/m/old\"\n)\n\nfunc main() { old.Old() }\n")
		}, []string{"app"}},
		{"a setting", func(c *cached) { c.settings = []Setting{{Name: "tornwrite", Value: "false"}} }, all},
		{"safeio", func(c *cached) { c.safeio = "example.com/m/safeio" }, all},
		{"the language", func(c *cached) { c.write("go.mod", "module example.com/m\n\ngo 1.23\n") }, all},
		{"damage", func(c *cached) { c.damage(func(b []byte) []byte { return b[:len(b)/2] }) }, all},
		{"nonsense", func(c *cached) { c.damage(func(b []byte) []byte { return slices.Repeat([]byte("x"), len(b)) }) }, all},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newCached(t)
			if analysed, said := c.run(); !slices.Equal(analysed, all) || said == "" {
				t.Fatalf("the first run analysed %v and said %q", analysed, said)
			}
			test.change(c)
			analysed, said := c.run()
			if !slices.Equal(analysed, test.want) {
				t.Errorf("the second run analysed %v, want %v", analysed, test.want)
			}
			c.cache = t.TempDir()
			if _, want := c.run(); said != want {
				t.Errorf("the second run said\n%s\nwithout a cache it is\n%s", said, want)
			}
		})
	}
}

// damage changes the content of everything that the cache has kept.
func (c *cached) damage(change func([]byte) []byte) {
	c.t.Helper()
	kept, err := filepath.Glob(filepath.Join(c.cache, "*", "*-d"))
	if err != nil || len(kept) == 0 {
		c.t.Fatalf("%d files, %v", len(kept), err)
	}
	for _, name := range kept {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, change(content), 0o666)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// Of a package that changes while lockvet runs nothing is kept, nor of those that
// import it: it may be one thing to the go command and another to lockvet.
func TestCacheUnsettled(t *testing.T) {
	const name = "internal/store/store.go"
	for _, test := range []struct {
		name           string
		before, during func(*cached)
	}{
		{"when it is looked up", func(c *cached) { c.touch(name, time.Hour) }, func(*cached) {}},
		{"when it was looked up", func(c *cached) { c.write(name, "// Moved.\n"+c.read(name)) }, func(c *cached) { c.touch(name, 0) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCached(t)
			c.run()
			test.before(c)
			c.during = func(pass *analysis.Pass) {
				if pass.Pkg.Name() == "store" {
					test.during(c)
				}
			}
			for range 2 {
				if analysed, _ := c.run(); !slices.Equal(analysed, []string{"app", "internal/store"}) {
					t.Errorf("analysed %v, want what has changed and what imports it", analysed)
				}
			}
		})
	}
}

// touch says that a file has changed, some time from now.
func (c *cached) touch(name string, later time.Duration) {
	at := time.Now().Add(later)
	if err := os.Chtimes(filepath.Join(c.dir, name), at, at); err != nil {
		c.t.Error(err)
	}
}

// Lines that are counted in another file are analysed each time: the cache has no
// place for them.
func TestCacheLineDirective(t *testing.T) {
	c := newCached(t)
	c.write("alone/alone.go", c.read("alone/alone.go")+"\n//line other.go:7\n")
	for range 2 {
		if analysed, _ := c.run(); !slices.Contains(analysed, "alone") {
			t.Errorf("analysed %v", analysed)
		}
	}
}

// What fails in one run may be well in the next, with the same files: a run with a
// failure keeps nothing more, and takes what others kept whichever package came first.
func TestCacheFailed(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, late := &packages.Package{ID: "p"}, &packages.Package{ID: "late"}
	u := &run{
		Runner:  Runner{Cache: cache},
		digests: map[string]digest{"p": {sum: [32]byte{1}, known: true}, "late": {sum: [32]byte{2}, known: true}},
		done:    make(map[string]made),
		named:   make(map[string]bool),
	}
	u.remember(p, new(made))
	u.fail(&packages.Package{ID: "q"}, nil)
	u.remember(late, new(made))
	if u.recall(p) == nil {
		t.Error("after a failure a run does not take what was kept before it")
	}
	if u.recall(late) != nil {
		t.Error("a run keeps what it makes of a package that may import one that does not compile")
	}
}
