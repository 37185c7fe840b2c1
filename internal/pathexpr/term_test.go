package pathexpr

import (
	"bytes"
	"encoding/gob"
	"testing"
)

// The parts that the tables are made of.
var (
	dir    = NewParam(0, "dir", "")
	name   = NewParam(1, "name", "")
	store  = NewParam(0, "s", "example.com/agentd.store")
	root   = NewField(store, "example.com/agentd.store", "root")
	global = New(Global, "example.com/agentd.home")
)

func text(s string) *Term             { return New(Const, s) }
func join(args ...*Term) *Term        { return New(Join, "", args...) }
func concat(args ...*Term) *Term      { return New(Concat, "", args...) }
func call(f string, a ...*Term) *Term { return New(Call, f, a...) }
func handle(id string, p *Term) *Term { return New(Handle, id, p) }

// TestSame lists spellings of one path; each group has one key, and no two
// groups have the same.
func TestSame(t *testing.T) {
	groups := [][]*Term{
		{
			join(dir, text("a"), text("b.json")),
			join(dir, text("a/b.json")),
			join(join(dir, text("a")), text("b.json")),
			join(dir, join(text("a"), text("b.json"))),
			join(dir, text("a/"), text("./b.json")),
			join(dir, text("a/x/../b.json")),
			join(dir, text(""), text("a/b.json")),
			concat(dir, text("/a/b.json")),
			concat(dir, text("/"), text("a"), text("/b.json")),
			concat(concat(dir, text("/a")), text("/b.json")),
			concat(join(dir, text("a")), text("/b.json")),
		},
		{
			join(dir, concat(name, text(".json"))),
			concat(dir, text("/"), name, text(".json")),
			concat(concat(dir, text("/")), concat(name, text(".json"))),
			concat(join(dir, name), text(".json")),
		},
		{
			join(text("/var/lib"), text("agentd"), name),
			join(text("/var"), join(text("lib/agentd"), name)),
			join(text("/var/lib/agentd"), name),
			concat(text("/var/lib/agentd/"), name),
		},
		{concat(dir, name), concat(concat(dir), concat(name, text("")))},
		{concat(text("a"), concat(text("b"), name)), concat(text("ab"), name)},
		{concat(name, dir)},
		{join(dir, name)},
		{join(name, dir)},
		{dir, join(dir), concat(dir), concat(dir, text("")), New(Alt, "", dir, dir), NewParam(0, "folder", "")},
		{name},
		{text("0")},
		{text(""), join(), join(text("")), concat(), concat(text(""), text(""))},
		{root, NewField(store, "example.com/agentd.store", "root")},
		{NewField(store, "example.com/agentd.store", "path")},
		{NewField(name, "example.com/agentd.store", "root")},
		{global, New(Global, "example.com/agentd.home", text("/home"))},
		{call("f", dir), call("f", join(dir))},
		{call("f", name)},
		{call("f")},
		{call("g", dir)},
		{New(Elem, "", dir)},
		{New(Alt, "", text("x"), text("y")), New(Alt, "", text("x"), New(Alt, "", text("y"), text("x")))},
		{handle("open 1", dir)},
		{handle("open 2", dir)},
		{New(Unknown, "f.t0")},
		{New(Unknown, "f.t1")},
		{New(Fresh, "temp 1", dir)},
		{New(Fresh, "temp 2", dir)},
		{New(Pid, "")},
	}
	owner := map[string]int{}
	for i, g := range groups {
		for j, term := range g {
			if term.Key() != g[0].Key() {
				t.Errorf("group %d: spelling %d has the key %s, the first has %s", i, j, term.Key(), g[0].Key())
			}
			if o, ok := owner[term.Key()]; ok && o != i {
				t.Errorf("groups %d and %d share the key %s", o, i, term.Key())
			}
			owner[term.Key()] = i
		}
	}
}

// TestAbstract lists paths of two functions that are one family of files.
func TestAbstract(t *testing.T) {
	other := NewParam(2, "st", "example.com/agentd.store")
	item := NewParam(3, "v", "example.com/agentd.session")
	for _, c := range []struct {
		why  string
		a, b *Term
		same bool
	}{
		{"a field of any receiver", root, NewField(other, "example.com/agentd.store", "root"), true},
		{"a field of a local variable", root, NewField(New(Unknown, "f.t0"), "example.com/agentd.store", "root"), true},
		{"another field", root, NewField(other, "example.com/agentd.store", "path"), false},
		{"a field of another type", root, NewField(other, "example.com/agentd.cache", "root"), false},
		{"any text between", join(root, concat(name, text(".json"))), join(root, concat(New(Unknown, "f.t3"), text(".json"))), true},
		{"the name of an object in a directory of another one", join(root, concat(NewField(item, "example.com/agentd.session", "ID"), text(".json"))), join(root, concat(name, text(".json"))), true},
		{"the name of an object in a directory of its own", join(NewField(item, "example.com/agentd.session", "dir"), NewField(item, "example.com/agentd.session", "ID")), join(NewField(item, "example.com/agentd.session", "dir"), name), false},
		{"another ending", join(root, concat(name, text(".json"))), join(root, concat(name, text(".yaml"))), false},
		{"a telling constant", join(dir, text("index.json")), join(name, text("index.json")), true},
		{"an accessor", call("(example.com/agentd.paths).Index", dir), call("(example.com/agentd.paths).Index", name), true},
		{"an accessor of any value of a type", call("(*T).path", store), call("(*T).path", other), true},
		{"an accessor of a text", call("(*T).path", store), call("(*T).path", name), false},
		{"a process id is any text", concat(root, New(Pid, "")), concat(root, name), true},
		{"a global", join(global, name), join(global, dir), true},
		{"a choice of the environment", join(New(Alt, "", call("os.Getenv", text("XDG_CONFIG_HOME")), global), text("a.json")), join(New(Alt, "", global, call("os.Getenv", text("XDG_CONFIG_HOME"))), text("a.json")), true},
		{"an element of a list", join(global, New(Elem, "", dir)), join(global, name), true},
	} {
		a, b := c.a.PackageKey(), c.b.PackageKey()
		if a == "" || b == "" {
			t.Errorf("%s: %q and %q, want names", c.why, a, b)
		} else if (a == b) != c.same {
			t.Errorf("%s: %q and %q, want same=%t", c.why, a, b, c.same)
		}
	}
	for _, term := range []*Term{
		nil, dir, join(dir, name), concat(dir, text(".x")), New(Unknown, "f.t0"),
		join(dir, concat(name, text(".json"))), join(root, New(Random, "now")), New(Fresh, "temp", dir), New(Alt, "", root, global),
		join(New(Alt, "", dir, global), text("index.json")),
		concat(dir, text("----")), call("base", dir),
	} {
		if a := term.PackageKey(); a != "" {
			t.Errorf("%s says nothing of which file it is, and has the name %q", term, a)
		}
	}
}

// put has terms in the place of the parameters of another one.
func put(t *Term, args ...*Term) *Term {
	return t.Map(func(x *Term) *Term { return args[x.Index] }, Param)
}

func TestMap(t *testing.T) {
	path := join(dir, concat(name, text(".json")))
	got := put(path, join(text("/srv"), text("state")), text("agent"))
	if want := join(text("/srv/state/agent.json")); got.Key() != want.Key() {
		t.Errorf("%s, want %s", got.Key(), want.Key())
	}
	if got := put(path, nil, nil); got != path {
		t.Errorf("nothing was put in, and %s came out", got.Key())
	}
	if got := put(path, name, dir); got.Key() != join(name, concat(dir, text(".json"))).Key() {
		t.Errorf("parameters that are put in are put in again: %s", got.Key())
	}
	field := put(NewField(store, "T", "root"), global)
	if field.Type != "T" || field.Text != "root" || field.Args[0] != global {
		t.Errorf("a field loses its type: %+v", field)
	}
	if path.Key() != join(dir, concat(name, text(".json"))).Key() {
		t.Error("a term was changed")
	}
}

func TestParts(t *testing.T) {
	h := New(Wrap, "bufio", New(Wrap, "gzip", handle("open", join(dir, text("index.json")))))
	if h.File().Kind != Handle || h.Path().Key() != join(dir, text("index.json")).Key() {
		t.Errorf("under %s are %s and %s", h.Key(), h.File().Key(), h.Path().Key())
	}
	if last := h.Path().Last(); last.Text != "index.json" {
		t.Errorf("the last part is %s", last)
	}
	if last := dir.Last(); last != dir {
		t.Errorf("the last part of a name is %s", last)
	}
	var none *Term
	if none.Path() != nil || none.File() != nil || none.Last() != nil || none.Has(Const) || none.Map(nil) != nil {
		t.Error("no term has parts")
	}
	if d := h.Depth(); d != 5 {
		t.Errorf("depth %d", d)
	}
	var many []*Term
	for _, s := range []string{"a", "b", "c", "d", "e", "f"} {
		many = append(many, text(s))
	}
	if alt := New(Alt, "", many...); len(alt.Args) > maxAlternatives {
		t.Errorf("%d alternatives", len(alt.Args))
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		term *Term
		want string
	}{
		{nil, "a file"},
		{join(root, concat(name, text(".json"))), "s.root/name.json"},
		{concat(dir, text("."), New(Pid, ""), text(".tmp")), "dir.<pid>.tmp"},
		{New(Fresh, "temp", dir), "<unique>"},
		{call("(*example.com/agentd/paths.Paths).Index", dir), "dir.Index()"},
		{call("(*example.com/agentd/paths.Paths).Index", New(Unknown, "f.t0"), name), "paths.Paths.Index(name)"},
		{call("(example.com/agentd/paths.Coder).Encode", text("33554434"), name), "paths.Coder.Encode(name)"},
		{call("example.com/agentd/paths.Get", text("lockFile")), `paths.Get("lockFile")`},
		{call("example.com/agentd/paths.Slot", name, text("3"), text("true")), "paths.Slot(name, 3, true)"},
		{call("example.com/agentd/paths.Temp", text("")), "paths.Temp()"},
		{call("example.com/agentd/paths.Of", New(Unknown, "f.t0")), "paths.Of(…)"},
		{call("dir", join(dir, name)), "dir(dir/name)"},
		{global, "agentd.home"},
		{handle("open", text("x")), "x"},
		{New(Elem, "", global), "agentd.home[…]"},
		{New(Elem, "", global, text("1")), "agentd.home[1]"},
		{New(Elem, "", global, text("key")), `agentd.home["key"]`},
		{New(Unknown, "f.t0"), "…"},
		{New(Unknown, "var path@f.t0"), "path"},
		{New(Unknown, "var complit@f.t0"), "…"},
		{NewField(New(Unknown, "f.t0"), "T", "path"), "path"},
		{join(), ""},
		{concat(text(""), text("")), ""},
		{New(Alt, "", name, dir), "name or dir"},
		{New(Alt, "", name, dir, global), "name or …"},
		{New(Join, "", New(Alt, "", dir, text(".")), text("a.json")), "{dir or .}/a.json"},
		{concat(text("slot-"), name, text(".json")), "slot-{name}.json"},
		{New(Global, "example.com/agentd/v2.home"), "agentd.home"},
		{join(dir, call("strings.ReplaceAll", concat(name, text("-token")), text("/"), text("-"))), "dir/{name}-token"},
		{join(dir, call("(*regexp.Regexp).ReplaceAllString", global, name, text("-"))), "dir/name"},
		{join(call("os.Getenv", text("XDG_STATE_HOME")), text("/a")), "$XDG_STATE_HOME/a"},
		{New(Input, "out"), "out"},
		{join(dir, New(List, "", text("a"), New(List, "", name, text("b")))), "dir/a/name/b"},
		{call("example.com/agentd.At", New(List, "", text("a"), name)), `agentd.At("a", name)`},
		{call("example.com/agentd.At", New(List, "")), "agentd.At()"},
		{New(List, "", text("a"), name), `"a", name`},
		{New(Elem, "", New(List, "", text("a"), name), text("0")), "…[0]"},
	} {
		if got := c.term.String(); got != c.want {
			t.Errorf("%s reads %q, want %q", c.term.Key(), got, c.want)
		}
	}
}

// TestGob sends terms as facts do: what arrives is equal, and equal terms are
// sent as the same bytes, whether their keys were asked for or not.
func TestGob(t *testing.T) {
	term := func() *Term { return handle("open", join(root, concat(name, text(".json")))) }
	fresh, used := term(), term()
	used.Key()
	used.PackageKey()
	var a, b bytes.Buffer
	if err := gob.NewEncoder(&a).Encode(fresh); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewEncoder(&b).Encode(used); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("equal terms are sent as different bytes")
	}
	var back Term
	if err := gob.NewDecoder(&a).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if back.Key() != fresh.Key() || back.PackageKey() != fresh.PackageKey() || back.String() != fresh.String() {
		t.Errorf("%s arrives as %s", fresh.Key(), back.Key())
	}
	has, maps := back.kinds()
	if back.Size() != fresh.Size() || back.Depth() != fresh.Depth() || has != fresh.has || maps != fresh.maps {
		t.Error("a term that arrives has other measures")
	}
}

// TestShared asks for the keys of a term that came out of a fact from several
// passes at once; the race detector looks on.
func TestShared(t *testing.T) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(join(root, concat(name, text(".json")))); err != nil {
		t.Fatal(err)
	}
	var shared Term
	if err := gob.NewDecoder(&b).Decode(&shared); err != nil {
		t.Fatal(err)
	}
	keys := make(chan string)
	for range 8 {
		go func() { keys <- shared.Key() + shared.PackageKey() + put(&shared, global, name).Key() }()
	}
	first := <-keys
	for range 7 {
		if key := <-keys; key != first {
			t.Errorf("one pass gets %s, another %s", first, key)
		}
	}
}

// TestExpanded: a field that gets one value is the same path as that value.
func TestExpanded(t *testing.T) {
	value := join(NewParam(0, "home", ""), text("agentd"))
	field := root.WithValue(value)
	if got, want := join(field, text("x.lock")).Expanded().Key(), join(value.closed(), text("x.lock")).Key(); got != want {
		t.Errorf("expanded: %s, want %s", got, want)
	}
	if got := join(root, text("x.lock")); got.Expanded().Key() != got.Key() {
		t.Errorf("a field of which nothing is known becomes %s", got.Expanded().Key())
	}
}

// TestDir: constants beside each other are one part of a path, and only the last element of it is not the directory.
func TestDir(t *testing.T) {
	for _, c := range []struct{ path, want *Term }{
		{join(dir, text("state.json")), dir},
		{join(dir, text("drafts"), text("lock")), join(dir, text("drafts"))},
		{join(dir, name), dir},
		{text("drafts/lock"), text("drafts")},
		{text("lock"), nil},
		{dir, nil},
	} {
		if got := c.path.Dir(); (got == nil) != (c.want == nil) || got != nil && !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.path, got, c.want)
		}
	}
}
