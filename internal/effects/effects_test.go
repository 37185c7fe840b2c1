package effects

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/srctest"
)

// A world is a set of packages that import each other, and their facts.
type world struct {
	*srctest.World
	t *testing.T
}

func newWorld(t *testing.T) *world { return &world{srctest.NewWorld(t), t} }

// build gives the effects of a package and exports its facts.
func (w *world) build(path, src string) *Package {
	w.t.Helper()
	p := Build(w.Pass(path, src), Config{})
	if p == nil {
		w.t.Fatalf("%s has no effects", path)
	}
	p.Export(failsLoudly)
	return p
}

// body gives the effects of function f of a file whose imports are given by its
// text.
func body(t *testing.T, text string) *Func {
	t.Helper()
	return find(t, newWorld(t).build("example.com/agentd/p", srctest.Complete(text)), "f")
}

// failsLoudly is the answer where no function keeps a failure to itself.
func failsLoudly(*Func, *Effect) (ignored, optional bool, empty []bool) { return false, false, nil }

func find(t *testing.T, p *Package, name string) *Func {
	t.Helper()
	for _, f := range p.Funcs {
		if f.SSA.Name() == name {
			return f
		}
	}
	t.Fatalf("there is no function %s", name)
	return nil
}

var kinds = []string{
	"read", "decode", "truncate", "open", "exclusive", "append", "make", "write", "flush", "sync", "close", "seek", "cut", "rename", "link",
	"remove", "stat", "list", "replace", "lock", "unlock", "escape", "acquire", "release", "keep", "makedir", "ensuredir", "fill",
}

// trace writes effects as a test reads them: "truncate path", "close deferred".
func trace(f *Func) string {
	var list []string
	for _, e := range f.Effects {
		list = append(list, label(e))
	}
	return strings.Join(list, ", ")
}

func label(e *Effect) string {
	s := "invoke"
	switch {
	case int(e.Kind) < len(kinds):
		s = kinds[e.Kind]
	case e.Kind == opening:
		s = "opening"
	}
	if e.Path != nil {
		s += " " + e.Path.Path().String()
	}
	if e.Target != nil {
		s += ">" + e.Target.String()
	}
	switch e.When {
	case Deferred:
		s += " deferred"
	case Spawned:
		s += " spawned"
	}
	return s
}

// before reports Before of the first effects with two labels.
func before(t *testing.T, f *Func, a, b string) bool {
	t.Helper()
	get := func(l string) *Effect {
		i := slices.IndexFunc(f.Effects, func(e *Effect) bool { return strings.HasPrefix(label(e), l) })
		if i < 0 {
			t.Fatalf("there is no %s among: %s", l, trace(f))
		}
		return f.Effects[i]
	}
	return Before(get(a), get(b))
}

// TestOrder lists functions and what they do, in order.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"in order", `func f(path string) {
			h, _ := os.Create(path)
			h.Write(nil)
			h.Sync()
			h.Close()
			os.Rename(path, "x")
		}`, "truncate path, write path, sync path, close path, rename path>x"},
		{"last deferred first", `func f(path string) {
			h, _ := os.Create(path)
			defer h.Close()
			defer h.Sync()
			h.Write(nil)
		}`, "truncate path, write path, sync path deferred, close path deferred"},
		{"a deferred literal keeps its own order", `func f(path string) {
			h, _ := os.Create(path)
			defer os.Remove("lock")
			defer func() {
				h.Sync()
				h.Close()
			}()
			h.Write(nil)
		}`, "truncate path, write path, sync path deferred, close path deferred, remove lock deferred"},
		{"a deferred helper keeps its own order", `func f(path string) {
			h, _ := os.Create(path)
			defer done(h)
			h.Write(nil)
		}
		func done(h *os.File) {
			defer os.Remove("lock")
			h.Sync()
			h.Close()
		}`, "truncate path, write path, sync path deferred, close path deferred, remove lock deferred"},
		{"what a helper defers happens before it returns", `func f(path string) {
			put(path)
			os.Remove("lock")
		}
		func put(p string) {
			h, _ := os.Create(p)
			defer h.Close()
			h.Write(nil)
		}`, "truncate path, write path, close path, remove lock"},
		{"a goroutine", `func f(path string) {
			go os.Remove("old")
			go func() { os.Remove(path) }()
			os.Remove("new")
		}`, "remove old spawned, remove path spawned, remove new"},
		{"a lock that is waited for", `func f(path string) error {
			h, _ := os.Create(path)
			locked := make(chan error)
			go func() {
				os.Remove("old")
				locked <- syscall.Flock(int(h.Fd()), syscall.LOCK_EX)
			}()
			return <-locked
		}`, "truncate path, remove old spawned, lock path"},
		{"a goroutine of a helper", `func f(path string) { later(path) }
		func later(p string) { go os.Remove(p) }`, "remove path spawned"},
		{"a literal called at once", `func f(path string) {
			func() { os.Remove(path) }()
			func(p string) { os.Remove(p + ".bak") }(path)
		}`, "remove path, remove path.bak"},
		{"a literal called by name", `func f(path string) {
			rm := func(p string) { os.Remove(p) }
			rm(path)
			rm("b")
		}`, "remove path, remove b"},
		{"a literal given to a helper", `func f(path string) {
			withLock(path+".lock", func() { os.Remove(path) })
		}
		func withLock(p string, do func()) {
			h, _ := os.OpenFile(p, os.O_RDWR, 0)
			syscall.Flock(int(h.Fd()), syscall.LOCK_EX)
			defer h.Close()
			do()
		}`, "lock path.lock, remove path, close path.lock"},
		{"a lock that is let go by its descriptor", `func f(path string) {
			h, _ := os.OpenFile(path, os.O_RDWR, 0)
			syscall.Flock(int(h.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			syscall.Flock(int(h.Fd()), syscall.LOCK_UN)
			os.Remove(path)
		}`, "lock path, unlock path, remove path"},
		{"a literal handed through", `func f(path string) { outer(func() { os.Remove(path) }) }
		func outer(do func()) { inner(do) }
		func inner(do func()) { os.Remove("a"); do(); os.Remove("b") }`, "remove a, remove path, remove b"},
		{"a literal given to code that cannot be seen", `var run func(func())
		func f(path string, r interface{ Do(func()) }) {
			r.Do(func() { os.Remove(path) })
		}`, "remove path"},
		{"a literal given away is not called", `func f(path string) func() {
			return func() { os.Remove(path) }
		}`, ""},
		{"a function of a package variable", `var remove = os.Remove
		func f(path string) { remove(path) }`, "remove path"},
		{"recursion", `func f(path string) { os.Remove(path); f(path + "x") }`, "remove path"},
		{"mutual recursion", `func f(path string) { os.Remove(path); g(path) }
		func g(path string) { os.Remove("g"); f(path) }`, "remove path, remove g"},
		{"the only implementation of an interface", `type disk struct{}
		func (disk) rm(p string) { os.Remove(p) }
		type remover interface{ rm(string) }
		func f(path string, r remover) { r.rm(path) }`, "remove path"},
		{"one of two implementations acts", `type disk struct{}
		func (disk) rm(p string) { os.Remove(p) }
		type tape struct{}
		func (tape) rm(p string) {}
		type remover interface{ rm(string) }
		func f(path string, r remover) { r.rm(path) }`, "remove path"},
		{"two implementations act", `type disk struct{}
		func (disk) rm(p string) { os.Remove(p) }
		type tape struct{}
		func (tape) rm(p string) { os.RemoveAll(p) }
		type remover interface{ rm(string) }
		func f(path string, r remover) { r.rm(path) }`, ""},
		{"one hands on", `type disk struct{}
		func (disk) rm(p string) { os.Remove(p) }
		type loud struct{ remover }
		func (l loud) rm(p string) { println(p); l.remover.rm(p) }
		type remover interface{ rm(string) }
		func f(path string, r remover) { r.rm(path) }`, "remove path"},
		{"a field that is given one function", `type disk struct{ rm func(string) error }
		func open() *disk { return &disk{rm: os.Remove} }
		func f(path string, d *disk) { d.rm(path) }`, "remove path"},
		{"a file that is read and decoded", `func f(path string) (v any) {
			b, _ := os.ReadFile(path)
			json.Unmarshal(b, &v)
			return v
		}`, "read path, decode, fill>v"},
		{"a buffered writer", `func f(path string) {
			h, _ := os.Create(path)
			w := bufio.NewWriter(h)
			w.WriteString("x")
			w.Flush()
			h.Close()
		}`, "truncate path, write path, flush path, close path"},
		{"a handle that is given back", `func f(path string) (*os.File, error) { return os.Create(path) }`, "truncate path, escape path"},
		{"a cut to nothing and a cut to a size", `func f(path string, h *os.File) {
			g, _ := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0)
			g.Truncate(0)
			g.Truncate(7)
		}`, "exclusive path, truncate path, cut path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := trace(body(t, c.text)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestBefore lists what has happened whenever something else happens.
func TestBefore(t *testing.T) {
	for _, c := range []struct {
		name, text, a, b string
		want             bool
	}{
		{"in order", `func f() { os.Remove("a"); os.Remove("b") }`, "remove a", "remove b", true},
		{"against the order", `func f() { os.Remove("a"); os.Remove("b") }`, "remove b", "remove a", false},
		{"itself", `func f() { os.Remove("a") }`, "remove a", "remove a", false},
		{"on one branch", `func f(c bool) {
			if c {
				os.Remove("a")
			}
			os.Remove("b")
		}`, "remove a", "remove b", false},
		{"in front of a branch", `func f(c bool) {
			os.Remove("a")
			if c {
				os.Remove("b")
			}
		}`, "remove a", "remove b", true},
		{"on the other branch", `func f(c bool) {
			if c {
				os.Remove("a")
			} else {
				os.Remove("b")
			}
		}`, "remove a", "remove b", false},
		{"with the error looked at", `func f() error {
			if err := os.Remove("a"); err != nil {
				return err
			}
			return os.Remove("b")
		}`, "remove a", "remove b", true},
		{"in a loop", `func f(n int) {
			for range n {
				os.Remove("a")
			}
			os.Remove("b")
		}`, "remove a", "remove b", false},
		{"earlier in a loop", `func f(n int) {
			for range n {
				os.Remove("a")
				os.Remove("b")
			}
		}`, "remove a", "remove b", true},
		{"a goroutine", `func f() { go os.Remove("a"); os.Remove("b") }`, "remove a", "remove b", false},
		{"within a goroutine", `func f() { go func() { os.Remove("a"); os.Remove("b") }() }`, "remove a", "remove b", true},
		{"against the order of a goroutine", `func f() { go func() { os.Remove("a"); os.Remove("b") }() }`, "remove b", "remove a", false},
		{"before a goroutine", `func f() { os.Remove("a"); go os.Remove("b") }`, "remove a", "remove b", true},
		{"deferred", `func f() { defer os.Remove("a"); os.Remove("b") }`, "remove a", "remove b", false},
		{"before a defer", `func f() { os.Remove("a"); defer os.Remove("b") }`, "remove a", "remove b", true},
		{"within a helper", `func f() { g("x") }
		func g(p string) { os.Remove(p); os.Remove("b") }`, "remove x", "remove b", true},
		{"in a helper and behind it", `func f() { g("x"); os.Remove("b") }
		func g(p string) { os.Remove(p) }`, "remove x", "remove b", true},
		{"on the other branch of a helper", `func f(c bool) { g(c) }
		func g(c bool) {
			if c {
				os.Remove("a")
			} else {
				os.Remove("b")
			}
		}`, "remove a", "remove b", false},
		{"on one branch of a helper", `func f(c bool) { g(c) }
		func g(c bool) {
			if c {
				os.Remove("a")
			}
			os.Remove("b")
		}`, "remove a", "remove b", false},
		{"under the lock of a helper", `func f() { with(func() { os.Remove("b") }) }
		func with(do func()) {
			h, _ := os.Open("l")
			syscall.Flock(int(h.Fd()), syscall.LOCK_EX)
			do()
		}`, "lock l", "remove b", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := body(t, c.text)
			if got := before(t, f, c.a, c.b); got != c.want {
				t.Errorf("Before(%s, %s) is %t among: %s", c.a, c.b, got, trace(f))
			}
		})
	}
}

// TestBeforeGaps holds what Before claims and should not: what a helper does on
// one branch counts as done when it returns. A line that changes belongs into
// TestBefore.
func TestBeforeGaps(t *testing.T) {
	for _, text := range []string{
		`func f(c bool) { g(c); os.Remove("b") }
		func g(c bool) {
			if c {
				os.Remove("a")
			}
		}`,
		`func f(c bool) {
			func() {
				if c {
					os.Remove("a")
				}
			}()
			os.Remove("b")
		}`,
	} {
		if f := body(t, text); !before(t, f, "remove a", "remove b") {
			t.Errorf("no gap any more: %s", text)
		}
	}
}

// TestSave checks what the packages do that rewrite a file for the program.
func TestSave(t *testing.T) {
	for _, c := range []struct{ path, text, call, file, codec string }{
		{"gopkg.in/ini.v1", "type File struct{}\nfunc (f *File) SaveTo(name string) error { return nil }", "new(lib.File).SaveTo(p)", "p", "ini"},
		{"gopkg.in/ini.v1", "type File struct{}\nfunc (f *File) SaveToIndent(name, indent string) error { return nil }", "new(lib.File).SaveToIndent(p, \" \")", "p", "ini"},
		{"github.com/joho/godotenv", "func Write(m map[string]string, name string) error { return nil }", "lib.Write(nil, p)", "p", "godotenv"},
		{"k8s.io/client-go/tools/clientcmd", "type Config struct{}\nfunc WriteToFile(c Config, name string) error { " +
			"return nil }", "lib.WriteToFile(lib.Config{}, p)", "p", "clientcmd"},
		{"github.com/spf13/afero", "func WriteFile(fs any, name string, data []byte, perm uint32) error { return nil }", "lib.WriteFile(nil, p, b, 0)", "p", ""},
		{"github.com/spf13/viper", "func WriteConfigAs(name string) error { return nil }", "lib.WriteConfigAs(p)", "p", "viper"},
		{"github.com/spf13/viper", "func WriteConfig() error { return nil }", "lib.WriteConfig()", "viper.ConfigFileUsed()", "viper"},
	} {
		w := newWorld(t)
		name := c.path[strings.LastIndexByte(c.path, '/')+1:]
		name, _, _ = strings.Cut(name, ".")
		w.build(c.path, "package "+name+"\nimport \"os\"\nfunc Touch() { os.Remove(name) }\nconst name = \"x\"\n"+c.text)
		p := w.build("example.com/agentd/p", "package p\nimport lib \""+c.path+"\"\nfunc f(p string, b []byte) { "+c.call+" }")
		e := find(t, p, "f").Effects[0]
		if got := label(e); got != "truncate "+c.file || e.Foreign == "" || !e.Whole || memory.Encoder(e.Data) != c.codec {
			t.Errorf("%s: %s by %q, encoded by %q", c.call, got, e.Foreign, memory.Encoder(e.Data))
		}
	}
}

// TestReplaceBy checks what a file is replaced with by a function that gets another path: the
// function writes into a fresh place, and what it makes there is the content.
func TestReplaceBy(t *testing.T) {
	const ini = "type File struct{ s string }\nfunc (f *File) SaveTo(name string) error { return nil }\nfunc (f " +
		"*File) SaveToIndent(name, indent string) error { return nil }\nfunc New(b []byte) *File { return " +
		"&File{string(b)} }"
	for call, codec := range map[string]string{
		"safeio.Replace(p, f.SaveTo)": "ini",
		"safeio.Replace(p, func(name string) error { return f.SaveToIndent(name, p) })":    "ini",
		"safeio.Replace(p, func(name string) error { return os.WriteFile(name, nil, 0) })": "",
		"safeio.Options{}.Replace(p, f.SaveTo)":                                            "ini",
		"safeio.Replace(p, save)":                                                          "",
		"safeio.Replace(p, viper.WriteConfigAs)":                                           "viper",
	} {
		w := newWorld(t)
		w.build("gopkg.in/ini.v1", "package ini\nimport \"os\"\nfunc Touch() { os.Remove(\"x\") }\n"+ini)
		w.build("github.com/spf13/viper", "package viper\nimport \"os\"\nfunc Touch() { os.Remove(\"x\") }\nfunc "+
			"WriteConfigAs(name string) error { return nil }")
		w.build("github.com/lockvet/lockvet/safeio", "package safeio\nimport \"os\"\ntype Options struct{}\nfunc "+
			"(Options) Replace(name string, save func(string) error) error { return nil }\nfunc Replace(name string, "+
			"save func(string) error) error { return os.Remove(name) }")
		p := w.build("example.com/agentd/p", "package p\nimport "+
			"(\n\"os\"\n\"gopkg.in/ini.v1\"\n\"github.com/spf13/viper\"\n\"github.com/lockvet/lockvet/safeio\"\n)\nvar "+
			"save func(string) error\nvar _ = viper.WriteConfigAs\nfunc f(p string) {\nf := ini.New(nil)\n"+call+"\nos.Remove(\"y\")\n_ = f\n}")
		replaced := false
		for _, e := range find(t, p, "f").Effects {
			switch {
			case e.Kind == Replace:
				if replaced = true; label(e) != "replace p" || memory.Encoder(e.Data) != codec || e.Foreign != "" {
					t.Errorf("%s: %s, encoded by %q", call, label(e), memory.Encoder(e.Data))
				}
				if codec == "ini" && len(e.Data.Args) == 0 {
					t.Errorf("%s: what is encoded is not known", call)
				}
			case e.Kind == Truncate && e.Path.String() == "p":
				t.Errorf("%s: %s", call, label(e))
			}
		}
		if !replaced {
			t.Errorf("%s replaces nothing", call)
		}
	}
}

// TestOwnSave checks that a package which rewrites the files of others is told nothing
// of its own calls.
func TestOwnSave(t *testing.T) {
	const viper = `
	type Viper struct{}
	func (v *Viper) WriteConfig() error { return os.WriteFile("p", nil, 0) }
	func f(v *Viper) error { return v.WriteConfig() }`
	f := find(t, newWorld(t).build("github.com/spf13/viper", srctest.Complete(viper)), "f")
	for _, e := range f.Effects {
		if e.Foreign != "" {
			t.Errorf("%s is said of %s", label(e), e.Foreign)
		}
	}
}

// TestGivenFlags checks that who gives a helper the flags does what they say.
func TestGivenFlags(t *testing.T) {
	const helpers = `
	func open(p string, flags int) (*os.File, error) { return os.OpenFile(p, flags, 0) }
	func again(p string, flags int) (*os.File, error) {
		f, err := open(p, flags)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	`
	for call, want := range map[string]string{
		`open(path, os.O_WRONLY|os.O_TRUNC)`:           "truncate path",
		`again(path, os.O_WRONLY|os.O_TRUNC)`:          "truncate path",
		`again(path, os.O_WRONLY|os.O_APPEND)`:         "append path",
		`again(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)`: "exclusive path",
		`again(path, n)`:                               "opening path",
		`again(path, os.O_RDWR)`:                       "opening path",
	} {
		f := body(t, helpers+"func f(path string, n int) { "+call+" }")
		e := f.Effects[0]
		if got := label(e); got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		} else if e.Kind != opening && (e.In != f.SSA || len(e.Via) > 0 || e.ReturnsHandle) {
			t.Errorf("%s is not done by its caller", call)
		}
	}
}

// TestOpenFlags lists what os.OpenFile does with its flags.
func TestOpenFlags(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"os.O_RDONLY", "read path"},
		{"os.O_WRONLY|os.O_CREATE|os.O_TRUNC", "truncate path"},
		{"os.O_RDWR|os.O_TRUNC", "truncate path"},
		{"os.O_WRONLY|os.O_CREATE", "open path"},
		{"os.O_WRONLY|os.O_CREATE|os.O_APPEND", "append path"},
		{"os.O_WRONLY|os.O_CREATE|os.O_EXCL", "exclusive path"},
		{"os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_TRUNC", "exclusive path"},
		{"os.O_RDWR", ""},
		{"os.O_RDWR|os.O_CREATE", "make path"},
		{"variable", "truncate path"},
		{"either", "truncate path"},
		{"plain", "open path"},
		{"n", "opening path"},
		{"n|os.O_TRUNC", "truncate path"},
		{"(os.O_WRONLY|os.O_CREATE|os.O_TRUNC)&^os.O_TRUNC", "open path"},
		{"either|os.O_EXCL", "exclusive path"},
	} {
		f := body(t, `func f(path string, n int, c bool) {
			variable := os.O_WRONLY
			variable |= os.O_TRUNC
			either := os.O_WRONLY | os.O_CREATE
			if c {
				either |= os.O_TRUNC
			}
			plain := os.O_WRONLY
			plain |= os.O_CREATE
			_, _, _ = variable, either, plain
			os.OpenFile(path, `+c.flags+`, 0)
		}`)
		if got := trace(f); got != c.want {
			t.Errorf("%s: %s, want %s", c.flags, got, c.want)
		}
	}
	if f := body(t, `func f(path string) { os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|os.O_SYNC, 0) }`); !f.Effects[0].Synced {
		t.Error("O_SYNC is not seen")
	}
}

func TestDropped(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{`func f(h *os.File) { h.Close() }`, true},
		{`func f(h *os.File) { _ = h.Close() }`, true},
		{`func f(h *os.File) { defer h.Close() }`, true},
		{`func f(h *os.File) { go h.Close() }`, true},
		{`func f(h *os.File) error { return h.Close() }`, false},
		{`func f(h *os.File) (err error) { err = h.Close(); return }`, false},
		{`func f(h *os.File) { if h.Close() != nil { panic(1) } }`, false},
		{`func f(h *os.File) (err error) {
			defer func() { err = errors.Join(err, h.Close()) }()
			return nil
		}`, false},
	} {
		f := body(t, c.text)
		if len(f.Effects) != 1 || f.Effects[0].Dropped != c.want {
			t.Errorf("%s: dropped is not %t (%s)", c.text, c.want, trace(f))
		}
	}
}

// TestVia follows the calls that lead to an effect, and the terms that change
// on the way.
func TestVia(t *testing.T) {
	f := body(t, `func f(dir string) { one(filepath.Join(dir, "a")) }
	func one(p string) { two(p + ".tmp") }
	func two(p string) { os.Remove(p) }`)
	e := f.Effects[0]
	var via []string
	for _, c := range e.Via {
		via = append(via, types.ExprString(c.Fun))
	}
	if got := strings.Join(via, ">"); got != "one>two" {
		t.Errorf("via %s", got)
	}
	if e.In.Name() != "two" || types.ExprString(e.Call.Fun) != "os.Remove" || e.Pos != e.Call.Pos() {
		t.Errorf("in %s, at %s", e.In, types.ExprString(e.Call))
	}
	if got := e.Path.String(); got != "dir/a.tmp" {
		t.Errorf("path %s", got)
	}
	if len(f.Callees) != 1 || f.Callees[0].Name() != "one" {
		t.Errorf("callees %v", f.Callees)
	}
}

// TestFacts sends what one package does to a second and a third.
func TestFacts(t *testing.T) {
	w := newWorld(t)
	disk := w.build("example.com/agentd/disk", `package disk
	import "os"
	func Put(path string, b []byte) error { return os.WriteFile(path, b, 0o600) }
	func With(path string, do func()) { os.Remove(path); do() }
	func Path(dir string) string { return dir + "/state" }
	func Idle(n int) int { return n + 1 }
	func Ask(path string) bool { _, err := os.Stat(path); return err == nil }
	func hidden(path string) { os.Remove(path) }
	var Default = "x"`)
	if disk.Of(nil) != nil {
		t.Error("no function has effects")
	}
	names := map[string]bool{}
	for o := range w.Objects {
		names[o.Name()] = true
	}
	for _, n := range []string{"Put", "With", "Path", "Ask"} {
		if !names[n] {
			t.Errorf("%s has no fact", n)
		}
	}
	for _, n := range []string{"hidden", "Idle"} {
		if names[n] {
			t.Errorf("%s has a fact, and nothing to say", n)
		}
	}
	// The second package imports no package that touches files but disk.
	w.build("example.com/agentd/crew", `package crew
	import "example.com/agentd/disk"
	func Save(dir string, b []byte) error { return disk.Put(disk.Path(dir), b) }`)
	f := find(t, w.build("example.com/agentd/p", `package p
	import ("example.com/agentd/crew"; "example.com/agentd/disk")
	func f(home string) {
		crew.Save(home, nil)
		disk.With(home, func() { disk.Put("a", nil) })
	}`), "f")
	if got := trace(f); !strings.HasPrefix(got, "truncate home/state, write home/state, close home/state, remove home") ||
		!strings.Contains(got, "truncate a") {
		t.Errorf("effects through two packages: %s", got)
	}
	e := f.Effects[0]
	if e.Foreign != "example.com/agentd/crew.Save" || e.In != f.SSA || types.ExprString(e.Call.Fun) != "crew.Save" {
		t.Errorf("the effect stands in %q, seen in %s", e.Foreign, e.In)
	}
}

// TestCodec names the encoder behind what reaches a file: of an encoder of the
// program's own, the one that it calls.
func TestCodec(t *testing.T) {
	w := newWorld(t)
	w.build("example.com/agentd/wire", `package wire
	import ("encoding/json"; "os")
	func MarshalNote(v any) ([]byte, error) { return json.MarshalIndent(v, "", " ") }
	func MarshalBlank(v any) []byte { return nil }
	func Wipe(path string) { os.Remove(path) }`)
	p := w.build("example.com/agentd/p", `package p
	import ("encoding/json"; "encoding/xml"; "os"; "example.com/agentd/wire")
	func MarshalHere(v any) ([]byte, error) { return json.Marshal(v) }
	func MarshalThrough(v any) ([]byte, error) { return MarshalHere(v) }
	func MarshalBytes(v any) []byte { return make([]byte, 8) }
	func here(v any) { b, _ := MarshalHere(v); os.WriteFile("a", b, 0o600) }
	func through(v any) { b, _ := MarshalThrough(v); os.WriteFile("a", b, 0o600) }
	func elsewhere(v any) { b, _ := wire.MarshalNote(v); os.WriteFile("a", b, 0o600) }
	func std(v any) { b, _ := xml.Marshal(v); os.WriteFile("a", b, 0o600) }
	func byHand(v any) { os.WriteFile("a", MarshalBytes(v), 0o600) }
	func byHandElsewhere(v any) { os.WriteFile("a", wire.MarshalBlank(v), 0o600) }`)
	for fn, want := range map[string]string{
		"here": "json", "through": "json", "elsewhere": "json", "std": "xml", "byHand": "p", "byHandElsewhere": "wire",
	} {
		if got := memory.Encoder(find(t, p, fn).Effects[0].Data); got != want {
			t.Errorf("%s: the content is encoded as %q, want %q", fn, got, want)
		}
	}
}

// TestGiven checks which fields and variables are known by the only value that
// the package gives them: its own, not those of another package, to which others
// may give more.
func TestGiven(t *testing.T) {
	w := newWorld(t)
	w.build("example.com/agentd/disk", `package disk
	import "os"
	type Box struct{ Path string }
	var Path string
	func Wipe(path string) { os.Remove(path) }`)
	p := w.build("example.com/agentd/p", `package p
	import ("os"; "example.com/agentd/disk")
	type box struct{ path string }
	var path string
	func setup() (*box, *disk.Box) {
		path, disk.Path = "variable", "variable"
		return &box{path: "field"}, &disk.Box{Path: "field"}
	}
	func field(b *box) { os.Remove(b.path) }
	func variable() { os.Remove(path) }
	func foreignField(b *disk.Box) { os.Remove(b.Path) }
	func foreignVariable() { os.Remove(disk.Path) }`)
	for fn, want := range map[string]string{"field": "field", "variable": "variable", "foreignField": "", "foreignVariable": ""} {
		if got := strings.Join(pathexpr.Constants(find(t, p, fn).Effects[0].Path), " "); got != want {
			t.Errorf("%s: the value is %q, want %q", fn, got, want)
		}
	}
}

// TestGate checks which packages are looked at.
func TestGate(t *testing.T) {
	files := `package p
	import "os"
	func F(p string) { os.Remove(p) }`
	for _, c := range []struct {
		name, path, src string
		module          *analysis.Module
		want            bool
	}{
		{"no module", "example.com/p1", files, nil, true},
		{"the main module", "example.com/p2", files, &analysis.Module{Path: "example.com"}, true},
		{"a dependency", "example.com/p3", "//line /mod/example.com@v1.2.3/p.go:1\n" + files, &analysis.Module{Path: "example.com", Version: "v1.2.3"}, false},
		{"a vendored one", "example.com/p9", "//line /home/m/vendor/example.com/p.go:1\n" + files, &analysis.Module{Path: "example.com", Version: "v1.2.3"}, false},
		{"one that a folder replaces", "example.com/p10", "//line /home/lib/p.go:1\n" + files, &analysis.Module{Path: "example.com", Version: "v1.2.3"}, true},
		{"no files", "example.com/p4", "package p\nfunc F() {}", nil, false},
		{"files that are only looked for", "example.com/p7", `package p
			import "os"
			func F(p string) bool { _, err := os.Stat(p); return err == nil }`, nil, false},
		{"a directory that is only listed", "example.com/p8", `package p
			import "os"
			func F(p string) { os.ReadDir(p) }`, nil, false},
		{"the copied safeio", "example.com/p5", "// Code generated by lockvet v0.1.0. DO NOT EDIT.\n\n" + files, nil, false},
	} {
		pass := newWorld(t).Pass(c.path, c.src)
		pass.Module = c.module
		if got := Build(pass, Config{}) != nil; got != c.want {
			t.Errorf("%s: looked at is %t", c.name, got)
		}
	}
	pass := newWorld(t).Pass("example.com/p6", files)
	pass.Files = nil
	if Build(pass, Config{}) != nil {
		t.Error("a package without files is looked at")
	}
}

// TestOn checks which handle an effect acts on.
func TestOn(t *testing.T) {
	f := body(t, `func f(c bool) {
		a, _ := os.Create("x")
		b, _ := os.Create("x")
		h := a
		if c {
			h = b
		}
		w := bufio.NewWriter(a)
		w.Flush()
		b.Sync()
		h.Close()
	}`)
	get := func(k Kind) *Effect {
		return f.Effects[slices.IndexFunc(f.Effects, func(e *Effect) bool { return e.Kind == k })]
	}
	a, b := f.Effects[0].Handle, f.Effects[1].Handle
	for _, c := range []struct {
		name     string
		e        *Effect
		onA, onB bool
	}{
		{"through a writer", get(Flush), true, false},
		{"on the other file of the name", get(Sync), false, true},
		{"on one of two", get(Close), true, true},
	} {
		if c.e.On(a) != c.onA || c.e.On(b) != c.onB {
			t.Errorf("%s: on a is %t, on b is %t", c.name, c.e.On(a), c.e.On(b))
		}
	}
	if get(Sync).On(nil) || (&Effect{}).On(a) {
		t.Error("nothing is a handle")
	}
	if memory.SameFile(a, b) != true || memory.SameFile(nil, a) || memory.SameFile(a, pathexpr.New(pathexpr.Const, "y")) {
		t.Error("files are the same by their path")
	}
}

// What a function does itself is known, whatever it calls before that: also in a
// literal that it calls, and at its end.
func TestOwnBehindMany(t *testing.T) {
	text := "func many() {\n" + strings.Repeat("\tos.Remove(\"other\")\n", 3*maxEffects/4) + "}\n" + `
		func f() {
			defer os.Remove("deferred")
			many()
			many()
			os.Remove("own")
			func() { os.Remove("literal"); many() }()
		}`
	f := body(t, text)
	var own []string
	called := 0
	for _, e := range f.Effects {
		if len(e.Via) > 0 {
			called++
		} else {
			own = append(own, e.Path.Text)
		}
	}
	if want := []string{"own", "literal", "deferred"}; !slices.Equal(own, want) {
		t.Errorf("itself it removes %q, want %q", own, want)
	}
	if called > maxEffects {
		t.Errorf("%d effects of calls, at most %d are kept", called, maxEffects)
	}
}

// What a call puts into the same memory many times over is noted once; into other
// memory, of other files, for itself.
func TestFilledAgain(t *testing.T) {
	text := `
		type state struct{ a, b []byte }
		func a(s *state, path string) { b, _ := os.ReadFile(path); s.a = b }
		func b(s *state) { b, _ := os.ReadFile("x"); s.b = b }
		func many(s *state) {` + strings.Repeat(`a(s, "x"); b(s); a(s, "y")`+"\n", 20) + `}
		func f(s *state) { many(s); many(s) }`
	got := map[string]int{}
	for _, e := range body(t, text).Effects {
		if e.Kind == StoreLoaded {
			for _, s := range e.From {
				got[e.Target.Text+" of "+s.File().Text]++
			}
		}
	}
	if want := map[string]int{"a of x": 2, "b of x": 2, "a of y": 2}; !maps.Equal(got, want) {
		t.Errorf("two calls put into memory %v, want %v", got, want)
	}
}

// What a call does to a handle is told with what ends that: of many calls of one helper, each
// that names its file.
func TestEndsTold(t *testing.T) {
	f := body(t, `
		func save(path string) {
			t, _ := os.CreateTemp("d", "*")
			t.Close()
			os.Rename(t.Name(), path)
		}
		func all(n int) {
			switch n { case 1: save("/var/a"); case 2: save("/var/b"); case 3: save("/var/c"); case 4: save("/var/d") }
		}
		func f(n int) { all(n) }`)
	for _, kind := range []Kind{Rename, Close} {
		if n := len(f.OfKind(kind)); n != 4 {
			t.Errorf("%d of kind %v, want 4", n, kind)
		}
	}
}

// TestFarBelow checks that a function is told what happens seven calls below it, and nothing more.
func TestFarBelow(t *testing.T) {
	text := "func f0(path string) { os.Remove(path) }\n"
	for i := range maxCalls + 1 {
		text += fmt.Sprintf("func f%d(path string) { f%d(path) }\n", i+1, i)
	}
	p := newWorld(t).build("example.com/agentd/p", srctest.Complete(text))
	for n, want := range map[int]int{maxCalls: 1, maxCalls + 1: 0} {
		if got := len(find(t, p, fmt.Sprintf("f%d", n)).Effects); got != want {
			t.Errorf("%d calls below there are %d effects, want %d", n, got, want)
		}
	}
}
