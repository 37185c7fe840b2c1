package fixes

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// A part is one way to write one step of a save. $fail stands for leaving the
// function with err, $ok for leaving it well, $drop for what an error path
// does to the handle.
type part struct{ name, text string }

var openParts = []part{
	{"create", "f, err := os.Create(path)\nif err != nil {\n$open\n}\n"},
	{"openfile", "f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)\nif err != nil {\n$open\n}\n"},
	{"fixed", "tmp := path + \".tmp\"\nf, err := os.Create(tmp)\nif err != nil {\n$open\n}\n"},
	{"unique", "f, err := os.CreateTemp(filepath.Dir(path), \"x*\")\nif err != nil {\n$open\n}\ntmp := f.Name()\n"},
}

var writeParts = []part{
	{"encode", "if err := json.NewEncoder(f).Encode(v); err != nil {\n$drop$fail\n}\n"},
	{"marshal", "data, err := json.Marshal(v)\nif err != nil {\n$drop$fail\n}\nif _, err := f.Write(data); err != nil {\n$drop$fail\n}\n"},
	{"print", "data, err := json.Marshal(v)\nif err != nil {\n$drop$fail\n}\nfmt.Fprintf(f, \"%s\\n\", data)\n"},
	{"buffer", "w := bufio.NewWriter(f)\nif err := json.NewEncoder(w).Encode(v); err != nil {\n$drop$fail\n}\nif err " +
		":= w.Flush(); err != nil {\n$drop$fail\n}\n"},
	{"copy", "_, err = io.Copy(f, v.reader())\nif err != nil {\n$drop$fail\n}\n"},
	{"unchecked", "_, err = io.Copy(f, v.reader())\n"},
	{"loop", "for i := range 3 {\nif i == 1 {\ncontinue\n}\nif err := json.NewEncoder(f).Encode(v); err != nil {\n$drop$fail\n}\n}\n"},
	{"asked", "switch err := json.NewEncoder(f).Encode(v); {\ncase err != nil:\n$drop$fail\n}\n"},
	{"told", "switch err := json.NewEncoder(f).Encode(v); err {\ncase nil:\ndefault:\n$drop$fail\n}\n"},
	{"broken", "for range 3 {\nif err = json.NewEncoder(f).Encode(v); err != nil {\nbreak\n}\n}\nif err != nil {\n$drop$fail\n}\n"},
	{"switch", "if err := v.check(); err != nil {\n$drop$fail\n}\n" +
		"switch {\ncase v.lines > 1:\nfmt.Fprintln(f, v.lines)\ndefault:\nfmt.Fprintln(f, 0)\n}\n"},
}

var closeParts = []part{
	{"defer", ""}, // the defer stands behind the opening
	{"closure", ""},
	{"checked", "if err := f.Close(); err != nil {\n$gone$fail\n}\n"},
	{"dropped", "f.Close()\n"},
	{"assigned", "err = f.Close()\nif err != nil {\n$gone$fail\n}\n"},
	{"both", "defer"},
	{"first", "f.Close()\nif err != nil {\n$gone$fail\n}\n"},
}

var resultParts = []part{
	{"error", "error"},
	{"two", "(int, error)"},
	{"named", "(err error)"},
	{"bool", "bool"},
}

// A shape is one combination.
type shape struct {
	name   string
	text   string
	result string
}

func shapes() []shape {
	var out []shape
	for _, o := range openParts {
		for _, w := range writeParts {
			for _, c := range closeParts {
				for _, r := range resultParts {
					if s, ok := combine(o, w, c, r); ok {
						out = append(out, s)
					}
				}
			}
		}
	}
	return out
}

// combine writes the function, unless Go or sense forbids the combination.
func combine(o, w, c, r part) (shape, bool) {
	temp := o.name == "fixed" || o.name == "unique"
	deferred := c.name == "defer" || c.name == "closure" || c.name == "both"
	if c.name == "first" && w.name != "unchecked" || c.name != "first" && w.name == "unchecked" && temp {
		return shape{}, false
	}
	if r.name == "bool" && !temp {
		return shape{}, false // nothing could say that the commit failed
	}
	fail, ok := map[string][2]string{
		"error": {"return err", "return nil"}, "two": {"return 0, err", "return 1, nil"},
		"named": {"return err", "return nil"}, "bool": {"return false", "return true"},
	}[r.name][0], map[string]string{"error": "return nil", "two": "return 1, nil", "named": "return", "bool": "return true"}[r.name]
	if w.name == "unchecked" && c.name != "first" {
		ok = map[string]string{"error": "return err", "two": "return 1, err", "named": "return", "bool": "return err == nil"}[r.name]
	}
	drop, gone := "f.Close()\n", ""
	if deferred {
		drop = ""
	}
	if temp {
		drop, gone = drop+"os.Remove(tmp)\n", "_ = os.Remove(tmp) // clean up\n"
	}
	body := o.text
	switch c.name {
	case "defer", "both":
		body += "defer f.Close()\n"
	case "closure":
		body += "defer func() {\n_ = f.Close()\n}()\n"
	}
	text := c.text
	if c.name == "both" {
		text = "if err := f.Close(); err != nil {\n$gone$fail\n}\n"
	}
	body += w.text + text
	if temp {
		body += "// now it is complete\nif err := os.Rename(tmp, path); err != nil {\n$gone$fail\n}\n"
	}
	body += ok
	body = strings.NewReplacer("$drop", drop, "$gone", gone, "$fail", fail, "$open", fail).Replace(body)
	return shape{strings.Join([]string{o.name, w.name, c.name, r.name}, "_"), body, r.text}, true
}

const shapeHead = `package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

var _ = []any{bufio.NewWriter, json.Marshal, errors.New, fmt.Println, io.Copy, os.Exit, filepath.Dir, strings.ToUpper}

// A value is what is saved; a broken one fails halfway.
type value struct {
	lines  int
	broken bool
}

func (v value) check() error {
	if v.broken {
		return errors.New("broken")
	}
	return nil
}

func (v value) MarshalJSON() ([]byte, error) {
	return []byte("\"new\""), v.check()
}

func closeLogged(c io.Closer) {
	if err := c.Close(); err != nil {
		fmt.Println(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

func (v value) reader() io.Reader {
	if v.broken {
		return io.MultiReader(strings.NewReader("half"), failing{})
	}
	return strings.NewReader("new")
}

`

// source is a program of one shape.
func (s shape) source() []byte {
	text, err := format.Source([]byte(shapeHead + "func " + s.name + "(path string, v value) " + s.result + " {\n" + s.text + "\n}\n"))
	if err != nil {
		panic(s.text)
	}
	return text
}

// TestShapes fixes every combination, and runs what was after: a good value
// must replace the old content by what the original writes, a broken one must
// leave the old content and nothing beside it.
func TestShapes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refused := map[string]int{}
	var calls strings.Builder
	all, fixed := shapes(), 0
	var old, after []string
	for _, s := range all {
		out, reason := fixShape(t, s)
		if out == nil {
			refused[reason]++
			continue
		}
		fixed++
		old = append(old, function(string(s.source()), s.name, s.name+"_old"))
		after = append(after, function(string(out), s.name, s.name))
		fmt.Fprintf(&calls, "\ttry(%q, func(p string, v value) bool { return ok(%s(p, v)) }, func(p string, v value) "+
			"bool { return ok(%s_old(p, v)) })\n", s.name, s.name, s.name)
	}
	for reason, n := range refused {
		t.Logf("%4d refused: %s", n, reason)
	}
	t.Logf("%d of %d shapes after", fixed, len(all))
	if fixed*10 < len(all)*9 {
		t.Errorf("fewer than nine in ten")
	}
	if testing.Short() {
		t.Skip("not run in short mode")
	}
	copySafeio(t, filepath.Join(dir, "safeio"))
	write(t, filepath.Join(dir, "go.mod"), "module example.com/run\n\ngo 1.25\n")
	head := strings.Replace(shapeHead, "import (", "import (\n\t\"example.com/run/safeio\"", 1)
	write(t, filepath.Join(dir, "main.go"), head+strings.Join(after, "\n")+"\nvar _ = safeio.Create\n")
	write(t, filepath.Join(dir, "old.go"), "package main\n\nimport "+
		"(\n\t\"bufio\"\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n\t\"path/filepath\"\n)\n\nvar _ = "+
		"[]any{bufio.NewWriter, json.Marshal, fmt.Println, io.Copy, filepath.Dir}\n\n"+strings.Join(old, "\n"))
	write(t, filepath.Join(dir, "try.go"), shapeTry+"func main() {\n"+calls.String()+"\ttries.Wait()\n}\n")
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

const shapeTry = `package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ok reports whether the last result of a save says that it succeeded.
func ok(results ...any) bool {
	switch r := results[len(results)-1].(type) {
	case bool:
		return r
	case error:
		return false
	}
	return true
}

func in(save func(string, value) bool, v value) (saved bool, content string, files int) {
	dir, err := os.MkdirTemp("", "shape")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		panic(err)
	}
	saved = save(path, v)
	data, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(dir)
	return saved, string(data), len(entries)
}

// tries are several at a time: most of the time they wait for the disk.
var (
	tries sync.WaitGroup
	room  = make(chan bool, 16)
)

func try(name string, after, old func(string, value) bool) {
	room <- true
	tries.Go(func() {
		one(name, after, old)
		<-room
	})
}

func one(name string, after, old func(string, value) bool) {
	good, bad := value{lines: 2}, value{lines: 2, broken: true}
	saved, content, files := in(after, good)
	wasSaved, want, _ := in(old, good)
	if !saved || !wasSaved || content != want || files != 1 {
		fmt.Printf("%s: good value: saved %v, %q in %d files, want %q\n", name, saved, content, files, want)
	}
	saved, content, files = in(after, bad)
	if saved || content != "old" || files != 1 {
		fmt.Printf("%s: broken value: saved %v, %q in %d files\n", name, saved, content, files)
	}
}

`

// fixShape verifies the fix of one shape; without one it gives the reason.
func fixShape(t *testing.T, s shape) ([]byte, string) {
	p, err := check(s.source())
	if err != nil {
		t.Fatalf("%s: %v\n%s", s.name, err, s.text)
	}
	fs := findings(p.pass)
	if len(fs) != 1 {
		t.Fatalf("%s: %d findings", s.name, len(fs))
	}
	Plan(p.pass, fs)
	if fs[0].Fix == nil {
		return nil, fs[0].NoFix
	}
	out, err := applyFixes(p, []*analysis.SuggestedFix{fs[0].Fix})
	if err == nil {
		err = verify(p, out)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", s.name, err, out)
	}
	return out, ""
}

// function is the text of the program's save under a name.
func function(text, name, as string) string {
	i := strings.Index(text, "func "+name+"(")
	return strings.Replace(text[i:], "func "+name+"(", "func "+as+"(", 1)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// copySafeio copies the package as a bundle would.
func copySafeio(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../safeio/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(f)), string(data))
	}
}
