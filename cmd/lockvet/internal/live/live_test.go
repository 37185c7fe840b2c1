package live_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"go/types"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

// TestDead asks which declarations of small modules are dead.
func TestDead(t *testing.T) {
	for _, test := range []struct {
		name     string
		patterns []string
		files    string
		dead     []string
	}{
		{
			"what the command does not call", nil,
			"-- main.go --\npackage main\nfunc main() { a() }\nfunc a() { b() }\nfunc b() {}\nfunc c() { d() }\nfunc d() {}\n",
			[]string{"m.c", "m.d"},
		},
		{
			"public packages have callers elsewhere", nil,
			"-- lib/lib.go --\npackage lib\nfunc Save() {}\nfunc idle() {}\n",
			nil,
		},
		{
			"internal ones have none", nil,
			"-- lib/lib.go --\npackage lib\nimport \"m/internal/x\"\nfunc F() { x.Save() }\n" +
				"-- internal/x/x.go --\npackage x\nfunc Save() {}\nfunc Load() {}\n",
			[]string{"m/internal/x.Load"},
		},
		{
			"a package that only a test imports", nil,
			"-- main.go --\npackage main\nfunc main() {}\n" +
				"-- main_test.go --\npackage main\nimport \"m/internal/x\"\nvar _ = x.Save\n" +
				"-- internal/x/x.go --\npackage x\nvar y = Save\nfunc init() { Save() }\nfunc Save() {}\n",
			[]string{"m/internal/x.Save", "m/internal/x.init", "m/internal/x.y"},
		},
		{
			"values of functions, and those in variables", nil,
			"-- main.go --\npackage main\nvar table = map[string]func(){\"a\": a}\nfunc main() { run(b); table[\"a\"]() }\nfunc run(f func()) { f() }\nfunc a() {}\nfunc b() {}\nfunc init() { c() }\nfunc c() {}\n",
			nil,
		},
		{
			"functions in a table that nobody looks at", nil,
			"-- main.go --\npackage main\nvar table = map[string]func(){\"a\": a}\nvar made = run(b)\nfunc main() {}\nfunc run(f func()) int { f(); return 1 }\nfunc a() {}\nfunc b() {}\n",
			[]string{"m.a", "m.table"},
		},
		{
			"the methods of a type are called through interfaces", nil,
			"-- main.go --\npackage main\nimport \"m/internal/x\"\nfunc main() { x.New().Run() }\n" +
				"-- internal/x/x.go --\npackage x\ntype Runner interface{ Run() }\nfunc New() Runner { return &job[int]{} }\ntype job[T any] struct{}\nfunc (*job[T]) Run() { save() }\nfunc save() {}\n" +
				"type idle struct{}\nfunc (idle) Run() { drop() }\nfunc drop() {}\n",
			[]string{"m/internal/x.drop", "m/internal/x.idle"},
		},
		{
			"methods that nothing but their name calls", nil,
			"-- main.go --\npackage main\nfunc main() { var c conf; c.load(); var s saver = &c; s.keep() }\ntype conf struct{}\nfunc (conf) load() {}\nfunc (*conf) keep() { write() }\nfunc (conf) save() { drop() }\nfunc write() {}\nfunc drop() {}\ntype saver interface{ keep() }\ntype list[T any] struct{}\nfunc (l *list[T]) sort() {}\nfunc (l *list[T]) swap() { spare() }\nfunc spare() {}\nfunc init() { new(list[int]).sort() }\n",
			[]string{"m.drop", "m.spare"},
		},
		{
			"a type that another has in it", nil,
			"-- main.go --\npackage main\nfunc main() { var s server; s.flush() }\ntype server struct{ *store }\ntype store struct{}\nfunc (*store) flush() { save() }\nfunc save() {}\n",
			nil,
		},
		{
			"a file for another system", nil,
			"-- main.go --\npackage main\nfunc main() {}\nfunc save() {}\nfunc idle() {}\n" +
				"-- other.go --\n//go:build plan9 && windows\n\npackage main\nfunc init() { save() }\n",
			[]string{"m.idle"},
		},
		{
			"a package that was not asked for", []string{"./internal/x"},
			"-- main.go --\npackage main\nimport \"m/internal/x\"\nfunc main() { x.Save() }\n" +
				"-- internal/x/x.go --\npackage x\nfunc Save() {}\nfunc Load() {}\n",
			[]string{"m/internal/x.Load"},
		},
		{
			"what its functions lead to, and what runs when it is imported", []string{"./internal/x"},
			"-- main.go --\npackage main\nimport \"m/internal/x\"\nfunc main() { x.Open().Save() }\n" +
				"-- internal/x/x.go --\npackage x\ntype file struct{}\nfunc (file) Save() { write() }\nfunc write() {}\nfunc Open() interface{ Save() } { return file{} }\nfunc init() { start() }\nfunc start() {}\nfunc idle() {}\n",
			[]string{"m/internal/x.idle"},
		},
		{
			"a module below", nil,
			"-- sub/go.mod --\nmodule m/sub\n-- sub/main.go --\npackage main\nimport \"m/internal/x\"\nfunc main() { x.Save() }\n" +
				"-- internal/x/x.go --\npackage x\nfunc Save() {}\nfunc Load() {}\n",
			[]string{"m/internal/x.Load"},
		},
		{
			"what is called from elsewhere than Go", nil,
			"-- main.go --\npackage main\nimport _ \"unsafe\"\nfunc main() {}\n//go:linkname save m.other\nfunc save() {}\n//go:noinline\nfunc idle() {}\n",
			[]string{"m.idle"},
		},
		{
			"a part of a command", []string{"main.go", "save.go"},
			"-- main.go --\npackage main\nfunc main() {}\n-- save.go --\npackage main\nfunc save() {}\n-- init.go --\npackage main\nfunc init() { save() }\n",
			nil,
		},
		{
			"a plugin", nil,
			"-- plugin.go --\npackage main\nfunc Open() { save() }\nfunc save() {}\n",
			nil,
		},
		{
			"what is only initialised", nil,
			"-- main.go --\npackage main\nimport _ \"m/internal/x\"\nfunc main() {}\n" +
				"-- internal/x/x.go --\npackage x\nimport \"m/internal/y\"\nvar _ = y.Register(save)\nfunc save() {}\n" +
				"-- internal/y/y.go --\npackage y\nfunc Register(f func()) int { return 0 }\n",
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			patterns := test.patterns
			if patterns == nil {
				patterns = []string{"./..."}
			}
			if got := which(t, test.files, patterns, (*live.Uses).Dead); !slices.Equal(got, test.dead) {
				t.Errorf("dead: %q, want %q", got, test.dead)
			}
		})
	}
}

// What runs by itself is used, although nothing refers to it.
func TestUnused(t *testing.T) {
	const files = "-- main.go --\npackage main\nimport \"m/conf\"\nfunc main() { conf.Load() }\nfunc init() {}\nfunc idle() {}\n" +
		"-- conf/conf.go --\npackage conf\nfunc init() {}\nfunc Load() {}\nfunc Save() {}\n" +
		"-- lib/lib.go --\npackage lib\nfunc Save() {}\n"
	got := which(t, files, []string{"./..."}, (*live.Uses).Unused)
	if want := []string{"m.idle", "m/conf.Save"}; !slices.Equal(got, want) {
		t.Errorf("unused: %q, want %q", got, want)
	}
}

// No command comes to it, though who imports the package may.
func TestIdle(t *testing.T) {
	const files = "-- main.go --\npackage main\nimport \"m/conf\"\nfunc main() { conf.Load() }\nfunc init() {}\nfunc idle() {}\n" +
		"-- conf/conf.go --\npackage conf\nfunc init() { fill() }\nfunc fill() {}\nfunc Load() {}\nfunc Save() { write() }\nfunc write() {}\nfunc Show() {}\n" +
		"-- examples/show/main.go --\npackage main\nimport (\"m/conf\"; \"m/lib\")\nfunc main() { conf.Show(); lib.Load() }\n" +
		"-- lib/lib.go --\npackage lib\nfunc Load() {}\nfunc Save() {}\n"
	got := which(t, files, []string{"./..."}, (*live.Uses).Idle)
	if want := []string{"m.idle", "m/conf.Save", "m/conf.Show", "m/conf.write"}; !slices.Equal(got, want) {
		t.Errorf("idle: %q, want %q", got, want)
	}
	const aside = "-- main.go --\npackage main\nfunc main() {}\n" +
		"-- store/store.go --\npackage store\ntype Dummy struct{}\nfunc (*Dummy) Save() {}\nfunc Open() {}\n" +
		"-- plug/plug.go --\npackage main\nfunc Plug() {}\n" +
		"-- elsewhere/elsewhere.go --\npackage elsewhere\nfunc Load() {}\n" +
		"-- plan9.go --\n//go:build plan9 && windows\n\npackage main\nimport _ \"m/elsewhere\"\n"
	got = which(t, aside, []string{"./..."}, (*live.Uses).Idle)
	if want := []string{"m/store.Dummy", "m/store.Open"}; !slices.Equal(got, want) {
		t.Errorf("idle: %q, want %q", got, want)
	}
	const library = "-- lib.go --\npackage lib\nfunc Load() {}\n-- examples/show/main.go --\npackage main\nfunc main() {}\n"
	if got := which(t, library, []string{"./..."}, (*live.Uses).Idle); got != nil {
		t.Errorf("idle where no command serves users: %q", got)
	}
	const root = "-- lib.go --\npackage lib\nfunc Load() {}\n-- cmd/tool/main.go --\npackage main\nfunc main() {}\n"
	if got := which(t, root, []string{"./..."}, (*live.Uses).Idle); got != nil {
		t.Errorf("idle at the root of a module: %q", got)
	}
	if got := which(t, files, []string{"./conf"}, (*live.Uses).Idle); got != nil {
		t.Errorf("idle where the commands are not known: %q", got)
	}
}

// which lists the functions, types and variables of module m of which a question is true.
func which(t *testing.T, files string, patterns []string, question func(*live.Uses) func(live.Name) bool) []string {
	t.Helper()
	fsys, err := txtar.FS(txtar.Parse([]byte("-- go.mod --\nmodule m\n\ngo 1.24\n" + files)))
	if err != nil {
		t.Fatal(err)
	}
	c := load.Config{Dir: t.TempDir(), Tests: true}
	if err := os.CopyFS(c.Dir, fsys); err != nil {
		t.Fatal(err)
	}
	pkgs, err := c.Packages(patterns...)
	if err != nil {
		t.Fatal(err)
	}
	u, checker := live.NewUses(pkgs), c.NewChecker()
	var checked []*packages.Package
	for _, p := range pkgs {
		p = checker.Check(p)
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		u.Add(p)
		checked = append(checked, p)
	}
	list := asked(checked, question(u))
	if again := asked(checked, question(stored(t, u, checked))); !slices.Equal(list, again) {
		t.Errorf("%q, and once the uses were encoded %q", list, again)
	}
	return list
}

// stored are the uses as they come out of where they were stored.
func stored(t *testing.T, u *live.Uses, pkgs []*packages.Package) *live.Uses {
	t.Helper()
	again := live.NewUses(pkgs)
	for _, p := range pkgs {
		if of := u.Get(p.PkgPath); of != nil {
			var encoded bytes.Buffer
			decoded := new(live.Package)
			if err := errors.Join(gob.NewEncoder(&encoded).Encode(of), gob.NewDecoder(&encoded).Decode(decoded)); err != nil {
				t.Fatal(err)
			}
			again.Put(p.PkgPath, decoded)
		}
	}
	for _, p := range pkgs {
		for _, fn := range []string{p.PkgPath + ".Save", p.PkgPath + ".Load"} {
			if got, want := again.Users(fn), u.Users(fn); !sameSet(got, want) {
				t.Errorf("users of %s: %q, and once encoded %q", fn, want, got)
			}
		}
	}
	return again
}

// sameSet reports whether lists have the same elements.
func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// asked lists the declarations of which a question is true.
func asked(checked []*packages.Package, is func(live.Name) bool) (list []string) {
	for _, p := range checked {
		for id, obj := range p.TypesInfo.Defs {
			if obj == nil || p.ForTest != "" || obj.Parent() != p.Types.Scope() && !isInit(obj) {
				continue
			}
			if n := (live.Name{Package: p.PkgPath, Decl: id.Name}); is(n) {
				list = append(list, n.Package+"."+n.Decl)
			}
		}
	}
	slices.Sort(list)
	return list
}

// isInit reports whether an object is a function that initialises its package, which
// stands in no scope.
func isInit(obj types.Object) bool { return obj.Name() == "init" }
