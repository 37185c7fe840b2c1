package locks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/srctest"
)

// The types that the cases speak of.
const common = `
type S struct {
	mu sync.Mutex
	rw sync.RWMutex
	ptr *sync.Mutex
	locker sync.Locker
	n int
	items []int
}
func use(int)
func cond() bool
func fail() error
`

var imports = map[string]string{
	"sync": "sync", "context": "context", "sort": "sort", "slices": "slices", "errors": "errors", "log": "log", "fmt": "fmt",
	"runtime": "runtime", "maps": "maps",
}

// build computes the locks of a file whose imports are given by its text. All of
// its functions are kept: one that touches a file names them.
func build(t testing.TB, text string) (*Package, *analysis.Pass) {
	t.Helper()
	set := srctest.New()
	text = common + text
	head := "package p\nimport \"os\"\n"
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(text) {
			head += fmt.Sprintf("import %q\n", path)
		}
	}
	text = head + text
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pass, err := set.Check("example.com/p", text+gate(f))
	if err != nil {
		t.Fatal(err)
	}
	p := effects.Build(pass, effects.Config{})
	if p == nil {
		t.Fatal("there are no effects")
	}
	return Of(p), pass
}

// gate is a function that touches a file and names all functions of another but
// for generic ones, which those call.
func gate(f *ast.File) string {
	b := "\nfunc gate() {\nos.Remove(\"\")\n"
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Name.Name == "init" || fd.Type.TypeParams != nil {
			continue
		}
		name := fd.Name.Name
		if fd.Recv != nil {
			switch recv := fd.Recv.List[0].Type.(type) {
			case *ast.StarExpr:
				if _, generic := recv.X.(*ast.IndexExpr); generic {
					continue
				}
				name = fmt.Sprintf("(*%s).%s", recv.X, name)
			case *ast.Ident:
				name = recv.Name + "." + name
			}
		}
		b += "_ = " + name + "\n"
	}
	return b + "}\n"
}

var mark = regexp.MustCompile(`// (none|(?:(?:held|reading|free|unknown|mixed) [\w.]+(?:, )?)+)$`)

var words = map[string]Mode{"held": Writing, "reading": Reading, "free": Free, "unknown": Unknown, "mixed": Mixed}

// checkMarks compares what is known of locks at the accesses of a line, those of
// a call's callee included, with the marks at its end; none says that there is no
// access.
func checkMarks(t *testing.T, text string) {
	t.Helper()
	p, pass := build(t, text)
	at := map[int][]*Access{}
	for _, f := range p.Funcs {
		if f.SSA.Synthetic != "" && len(p.sites[f.SSA]) > 0 {
			continue // the body of a loop over a function is that of the function around it
		}
		list := slices.Clone(f.Accesses)
		for _, c := range f.calls {
			list = append(list, p.below(c, map[*ssa.Function]bool{})...)
		}
		for _, acc := range list {
			pos := acc.Instr.Pos()
			if !pos.IsValid() {
				pos = acc.Pos // a load for an assignment such as n++
			}
			if !known.IsLock(acc.Var.Type()) {
				line := pass.Fset.Position(pos).Line
				at[line] = append(at[line], acc)
			}
		}
	}
	marks := 0
	for _, g := range pass.Files[0].Comments {
		m := mark.FindStringSubmatch(g.List[0].Text)
		if m == nil {
			t.Errorf("%s is no mark", g.List[0].Text)
			continue
		}
		line := pass.Fset.Position(g.Pos()).Line
		if m[1] == "none" {
			marks++
			for _, acc := range at[line] {
				t.Errorf("%s in %s is accessed", acc.Place, acc.Func.SSA)
			}
			continue
		}
		if len(at[line]) == 0 {
			t.Errorf("nothing is accessed at the mark %q", m[1])
		}
		for _, want := range strings.Split(m[1], ", ") {
			marks++
			word, lock, _ := strings.Cut(want, " ")
			for _, acc := range at[line] {
				if got := modeOf(acc, lock); got != words[word] {
					t.Errorf("%s in %s: want %s, got %s among %v", acc.Place, acc.Func.SSA, want, wordOf(got), acc.Held)
				}
			}
		}
	}
	if marks == 0 {
		t.Error("there is no mark")
	}
}

func wordOf(m Mode) string {
	for w, mode := range words {
		if mode == m {
			return w
		}
	}
	return ""
}

// modeOf is what is known of the lock of a name, which may be that of a value; of two,
// that of the object that is accessed.
func modeOf(acc *Access, lock string) Mode {
	mode := Unknown
	for r, m := range acc.Held {
		name := r.String()
		switch {
		case name == lock, r.Root.Name()+"."+r.Path == lock:
			return m.Mode
		case strings.HasSuffix(name, "."+lock) && (mode == Unknown || r.Root == acc.Place.Root):
			mode = m.Mode
		}
	}
	return mode
}

// TestMarks checks what is known of locks, shape by shape.
func TestMarks(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { checkMarks(t, c.src) })
	}
}

// TestEntered checks who may be called from where no call is seen.
func TestEntered(t *testing.T) {
	p, _ := build(t, `
	func (s *S) Exported() { s.helper(); go s.started(); func() { use(s.n) }() }
	func (s *S) helper() { s.n++ }
	func (s *S) started() { s.n++ }
	func (s *S) nobody() { s.n++ }
	func keep(f func())
	func (s *S) value() { keep(s.given); keep(func() { s.n++ }) }
	func (s *S) given() { s.n++ }
	func call(f func()) { f() }
	func (s *S) both() { f := func() { s.n++ }; call(f); go f() }
	func (s *S) twice() { f := func() { s.n++ }; call(f); f(); defer f() }
	func (s *S) stored() { f := func() { s.n++ }; f(); hook = f }
	func (s *S) unused() { _ = func() { s.n++ } }
	type Hook func()
	func (s *S) shaped() { f := Hook(func() { s.n++ }); f() }
	func (s *S) converted() { f := Hook(func() { s.n++ }); f(); keep(f) }
	var hook func()`)
	want := map[string]bool{
		"Exported": true, "helper": false, "started": true, "nobody": true, "given": true, "Exported$1": false, "value$1": false,
		"both$1": true, "twice$1": false, "stored$1": false, "unused$1": false,
	}
	for _, f := range p.Funcs {
		if w, ok := want[f.SSA.Name()]; ok && p.Entered(f.SSA) != w {
			t.Errorf("%s is entered: %v", f.SSA.Name(), !w)
		}
	}
}

// TestWays checks who knows how a lock stands at an access.
func TestWays(t *testing.T) {
	p, _ := build(t, `
	func (s *S) touched() { s.mu.Lock(); s.n++ }
	func (s *S) Bare() { s.n++ }
	func (s *S) helper() { s.n++ }
	func (s *S) between() { s.helper() }
	func (s *S) writes() { s.mu.Lock(); s.between(); s.mu.Unlock() }
	func (s *S) reads() { s.mu.Lock(); s.helper() }
	func (s *S) Outer() { s.between() }
	func (s *S) round() { s.items = nil; s.again() }
	func (s *S) again() { s.round() }
	func (s *S) literal() func() { return func() { s.rw = sync.RWMutex{} } }
	func (s *S) start() { go func() { s.ptr = nil }() }`)
	got := map[string][]string{}
	for _, f := range p.Funcs {
		for _, acc := range f.Accesses {
			if !acc.Write || f.SSA.Name() == "gate" {
				continue
			}
			name := f.SSA.Name()
			for w := range p.Ways(acc, Ref{acc.Place.Root, "mu"}, nil) {
				got[name] = append(got[name], w.Func.SSA.Name()+" "+wordOf(w.Mode()))
			}
			slices.Sort(got[name])
		}
	}
	want := map[string][]string{
		"touched": {"touched held"}, "Bare": {"Bare unknown"},
		"helper": {"Outer unknown", "reads held", "writes held"}, "start$1": {"start$1 unknown"},
	}
	for name, ways := range want {
		if !slices.Equal(got[name], ways) {
			t.Errorf("%s: %q, want %q", name, got[name], ways)
		}
	}
	if len(got["literal$1"]) > 0 || len(got["round"]) > 0 {
		t.Errorf("somebody knows: %q", got)
	}
}

// TestEvents checks what a function is said to do to its locks.
func TestEvents(t *testing.T) {
	p, _ := build(t, `
	func (s *S) inner() { s.mu.Lock(); s.mu.Unlock() }
	func (s *S) middle() { s.inner() }
	func (s *S) outer() { s.middle() }
	func (s *S) try() bool { return s.mu.TryLock() }
	func (s *S) tries() { if s.try() { s.mu.Unlock() } }
	func (s *S) saves() error { if cond() { return fail() }; s.inner(); return nil }
	func (s *S) asks() { if s.saves() != nil { return } }
	func (s *S) pauses() { s.mu.Unlock(); s.mu.Lock() }
	func (s *S) rests() { s.pauses() }
	type C struct { sem chan struct{} ; n int }
	func newC() *C { return &C{sem: make(chan struct{}, 1)} }
	func (c *C) with(ctx context.Context) {
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
			return
		}
		c.n++
		<-c.sem
	}`)
	for name, want := range map[string]string{
		"inner": "held from unknown, free from held", "middle": "", "outer": "", "asks": "", "rests": "",
		"tries": "held from unknown cancellable, free from held",
		"with":  "held from unknown cancellable, free from held",
	} {
		i := slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.SSA.Name() == name })
		var got []string
		for _, ev := range p.Funcs[i].Events {
			text := wordOf(ev.Mode) + " from " + wordOf(ev.Before)
			if ev.Cancellable {
				text += " cancellable"
			}
			got = append(got, text)
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s: %s, want %s", name, g, want)
		}
	}
}

// TestMade checks that nobody is told of objects that the function made.
func TestMade(t *testing.T) {
	p, _ := build(t, `
	func newS() *S { return &S{} }
	func made() { o, q := &S{}, newS(); o.n = q.n; o.n++ }
	func given(a, b *S) { o := a; f := func() { o = b }; f(); o.n++ }`)
	for _, f := range p.Funcs {
		if name := f.SSA.Name(); name == "made" && len(f.Accesses) > 0 || name == "given" && len(f.Accesses) == 0 {
			t.Errorf("%s has %d accesses", name, len(f.Accesses))
		}
	}
}

// TestSelectEvent checks where a select takes a lock: in the block of the case,
// or at its choice if no block is the case's alone.
func TestSelectEvent(t *testing.T) {
	p, _ := build(t, `
	type C struct { sem chan struct{} ; n int }
	func newC() *C { return &C{sem: make(chan struct{}, 1)} }
	func (c *C) alone(ctx context.Context) {
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
			return
		}
		<-c.sem
	}
	func (c *C) shared(ctx context.Context) {
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
			use(1)
		}
		use(2)
	}`)
	for name, choice := range map[string]bool{"alone": false, "shared": true} {
		f := p.Funcs[slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.SSA.Name() == name })]
		if _, ok := f.Events[0].Instr.(*ssa.If); ok != choice || f.Events[0].Mode != Writing {
			t.Errorf("%s: %v", name, f.Events[0].Instr)
		}
	}
}

// TestHeldAt checks that the modes in front of an instruction are those that the
// access there has.
func TestHeldAt(t *testing.T) {
	p, _ := build(t, `func (s *S) f() { s.n = 1; s.mu.Lock(); s.n = 2; s.mu.Unlock(); s.n = 3 }`)
	n := 0
	for _, f := range p.Funcs {
		for _, acc := range f.Accesses {
			if st, ok := acc.Instr.(*ssa.Store); ok {
				n++
				if got := modeOf(&Access{Held: f.Held(st), Place: acc.Place}, "mu"); got != modeOf(acc, "mu") {
					t.Errorf("%s: %s", acc.Value, wordOf(got))
				}
			}
		}
	}
	if n != 3 {
		t.Errorf("%d stores", n)
	}
}

// TestUnder checks that what a call reads is read under the locks of what it
// calls.
func TestUnder(t *testing.T) {
	p, _ := build(t, `
func (s *S) list() []int { s.mu.Lock(); defer s.mu.Unlock(); return append([]int(nil), s.items...) }
func (s *S) count() int { s.rw.RLock(); defer s.rw.RUnlock(); return s.n }
func (s *S) f() { s.rw.Lock(); s.list(); s.count(); s.rw.Unlock() }`)
	for _, tt := range []struct {
		callee, path, want string
	}{
		{"list", "items", "mu held, rw held"},
		{"list", "", "mu held, rw held"},
		{"list", "n", "rw held"},
		{"count", "n", "rw reading"},
	} {
		var got []string
		for _, f := range p.Funcs {
			if f.SSA.Name() != "f" {
				continue
			}
			for _, i := range f.SSA.Blocks[0].Instrs {
				call, ok := i.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != tt.callee {
					continue
				}
				for _, held := range p.Under(f, call, Ref{f.SSA.Params[0], tt.path}) {
					for lock, at := range held {
						if at.Mode != Free {
							got = append(got, lock.Path+" "+wordOf(at.Mode))
						}
					}
				}
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s reads %q under %q, want %q", tt.callee, tt.path, s, tt.want)
		}
	}
}

// TestTypeOf checks that the type of a place is followed through its fields.
func TestTypeOf(t *testing.T) {
	p, _ := build(t, `type outer struct { in *S }
func (o *outer) f() { o.in.n = 1 }`)
	for _, f := range p.Funcs {
		if f.SSA.Name() != "f" {
			continue
		}
		for path, want := range map[string]string{"": "*outer", "in": "*S", "in.mu": "Mutex", "in.none": "<nil>", "in.n.x": "<nil>"} {
			got := p.TypeOf(Ref{f.SSA.Params[0], path})
			if s := fmt.Sprint(got); !strings.HasSuffix(s, strings.TrimPrefix(want, "*")) {
				t.Errorf("%q is %v, want %s", path, got, want)
			}
		}
	}
}

// TestWork checks that the instructions looked at grow with the size of a
// function and no faster.
func TestWork(t *testing.T) {
	for name, text := range map[string]string{
		"branches": "if cond() { s.mu.Lock(); s.n++; s.mu.Unlock() }\n",
		"calls":    "s.step()\n",
		"objects":  "{ o := get(); o.mu.Lock(); o.n++; o.mu.Unlock(); if cond() { use(o.n) } }\n",
		"deferred": "if cond() { defer s.step() }\n",
		"loops":    "for cond() { s.mu.Lock(); if cond() { s.n++ }; s.mu.Unlock() }\n",
		"returns":  "if cond() { return }\n",
		"left":     "if cond() { return }; if cond() { defer s.step() }\n",
		"in a row": "defer use(1); if cond() { return }\n",
		"nested":   "for cond() { if cond() { s.mu.Lock(); continue }; s.step()\n",
	} {
		small, large := work(t, text, 100), work(t, text, 800)
		if large > 12*small {
			t.Errorf("%s: %d instructions for 100, %d for 800", name, small, large)
		}
	}
}

func work(t testing.TB, text string, n int) int {
	return huge(t, text, n).flow.Steps()
}

// huge is a package with a function that repeats a text; what the text leaves
// open is closed at the end.
func huge(t testing.TB, text string, n int) *Package {
	t.Helper()
	p, _ := build(t, "func get() *S\nfunc (s *S) step() { s.mu.Lock(); s.n++; s.mu.Unlock() }\nfunc (s *S) huge() {\n"+
		strings.Repeat(text, n)+strings.Repeat("}", n*(strings.Count(text, "{")-strings.Count(text, "}")))+"}")
	return p
}

// TestBounds checks that what a function remembers has bounds, and that nothing
// is held which it has forgotten to let go of.
func TestBounds(t *testing.T) {
	p := huge(t, "{ o := get(); o.mu.Lock(); o.n++ }\n", 3*maxLocks)
	f := p.Funcs[slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.SSA.Name() == "huge" })]
	if last := f.Accesses[len(f.Accesses)-1]; len(last.Held) > maxLocks {
		t.Errorf("%d locks are known", len(last.Held))
	}
	if gaveUp := p.flow.GaveUp(); len(gaveUp) != 1 || gaveUp[0].Question != question || gaveUp[0].Func != "(*S).huge" {
		t.Errorf("gave up on %v", gaveUp)
	}
	const either = "if cond() { defer use(1); defer s.mu.Unlock() } else { defer use(2); defer s.mu.Unlock() }"
	for name, text := range map[string]string{
		"in a row":     strings.Repeat("defer use(1)\n", maxDeferred) + "defer s.mu.Unlock()",
		"on some ways": strings.Repeat("if cond() { defer use(1) }\n", maxDeferred) + "defer s.mu.Unlock()",
		"on each way":  strings.Repeat("defer use(1)\n", maxDeferred-1) + either,
	} {
		p, _ := build(t, "func (s *S) f() { s.mu.Lock()\n"+text+"}\nfunc (s *S) g() { s.f(); s.n++ }")
		f := p.Funcs[slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.SSA.Name() == "g" })]
		for _, acc := range f.Accesses {
			if got := modeOf(acc, "mu"); got != Mixed && got != Free {
				t.Errorf("%s: after %d deferred calls the lock is %s", name, maxDeferred, wordOf(got))
			}
		}
	}
}

func BenchmarkHuge(b *testing.B) {
	text := "{ o := get(); o.mu.Lock(); if cond() { defer s.step() }; o.n++; o.mu.Unlock(); if cond() { s.step() } }\n"
	for b.Loop() {
		work(b, text, 2000)
	}
}
