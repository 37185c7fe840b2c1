package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every module of the list says which version it is.
func TestModules(t *testing.T) {
	list, err := parseModules(modules)
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	list, err = parseModules("# all\n\nexample.com/a@v1.2.3 v0.0.0=v0.2.3 # why\n")
	want := []module{{"example.com/a", "v1.2.3", map[string]string{"v0.0.0": "v0.2.3"}}}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("got %v, %v, want %v", list, err, want)
	}
	for _, text := range []string{"example.com/a", "example.com/a@v1.0.0 v0.0.0"} {
		if _, err := parseModules(text); err == nil {
			t.Errorf("%q is taken for a module", text)
		}
	}
}

// A go.mod needs no folder outside of its own, and no newer release.
func TestAlone(t *testing.T) {
	m := module{"example.com/a", "v1.2.3", map[string]string{"v0.0.0": "v0.2.3"}}
	got, err := m.alone([]byte(`module example.com/a

go 1.99.1

toolchain go1.99.2

require (
	example.com/b v0.0.0
	example.com/c v1.0.0
)

replace (
	example.com/b => ../b
	example.com/c => example.com/d v1.0.0
)
`), "1.26.0")
	want := `module example.com/a

go 1.26.0

require (
	example.com/b v0.2.3
	example.com/c v1.0.0
)

replace example.com/c => example.com/d v1.0.0
`
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}
}

// Results are there again in the next run, but for a line that was cut off; a second
// record of a package counts.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	r, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	records := []record{
		{Root: "a@v1", Package: "p@v1", TypeCheck: 10, Analysis: 70},
		{Root: "a@v1", Package: "q@v1", TypeCheck: 10, Analysis: 40},
		{Root: "a@v1", Package: "p@v1", TypeCheck: 10, Analysis: 60, Alone: true},
		{Root: "a@v1", Finished: true},
	}
	for n, next := range records {
		if n == 2 {
			if got := r.suspects(module{path: "a", version: "v1"}, options{ratio: 10, min: 1}); !slices.Equal(got, []string{"p@v1"}) {
				t.Errorf("%v are to be measured again, want p@v1", got)
			}
		}
		if err := r.add(next); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.file.WriteString(`{"Root":"a@v1","Pack`); err != nil {
		t.Fatal(err)
	}
	r.close()
	for range 2 { // the second time without the end that was cut off
		again, err := openResults(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(again.finished, r.finished) || !reflect.DeepEqual(again.packages, r.packages) || !slices.Equal(again.order, r.order) {
			t.Errorf("got %+v, want %+v", again, r)
		}
		again.close()
	}
}

// A worker that says nothing hangs, and one that ends is known by the package that it
// was at.
func TestListen(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		at     string
		hung   bool
	}{
		"ends":  {`echo '{"Begin":"p@v1"}'; echo '{"Result":{"Package":"p@v1"}}'`, "", false},
		"dies":  {`echo '{"Begin":"p@v1"}'; echo '{"Result":{"Package":"p@v1"}}'; echo '{"Begin":"q@v1"}'; exit 2`, "q@v1", false},
		"hangs": {`echo '{"Begin":"p@v1"}'; exec sleep 60`, "p@v1", true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := openResults(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer r.close()
			cmd := exec.Command("sh", "-c", test.script)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Skip("there is no shell: ", err)
			}
			s := &supervisor{options: options{hang: time.Second}, results: r}
			at, hung, err := s.listen(out)
			cmd.Process.Kill()
			cmd.Wait()
			if at != test.at || hung != test.hung || err != nil {
				t.Errorf("at %q, hung %t, %v", at, hung, err)
			}
		})
	}
}

// agent saves by another package what it loads.
const agent = `package agent

import (
	"encoding/json"
	"os"
	"path/filepath"

	"example.com/a/store"
)

type session struct{ Turns []string }

func load(dir string) (s session, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "session.json"))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

func Keep(dir string, s session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return store.Save(filepath.Join(dir, "session.json"), b)
}
`

// TestWorker analyses a module that is a copy already, in this process. Facts get to
// packages of the same run, and to those of a later one.
func TestWorker(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/a\n\ngo 1.26\n",
		"store/p.go":      "package store\n\nimport \"os\"\n\nfunc Save(name string, b []byte) error { return os.WriteFile(name, b, 0o666) }\n",
		"agent/p.go":      agent,
		"broken/p.go":     "package broken\n\nvar n int = \"\"\n",
		"nothing/p.go":    "package nothing\n",
		"store/p_test.go": "package store\n\nvar n int = \"\"\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(out, "facts"), 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := openResults(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	made := func(named ...string) map[string]record {
		var said bytes.Buffer
		if err := newWorker(options{out: out}, dir, "v1", &said).run(named); err != nil {
			t.Fatal(err)
		}
		all := map[string]record{}
		for d := json.NewDecoder(&said); d.More(); {
			var m message
			if err := d.Decode(&m); err != nil {
				t.Fatal(err)
			}
			if m.Result != nil {
				all[m.Result.Package] = *m.Result
			}
		}
		return all
	}
	all := made()
	if len(all) != 4 || !strings.Contains(all["example.com/a/broken@v1"].Broken, "cannot use") {
		t.Errorf("got %+v", all)
	}
	for name, findings := range map[string]int{"store": 0, "agent": 1, "nothing": 0} {
		p := all["example.com/a/"+name+"@v1"]
		if p.Findings != findings || p.Broken+p.Error != "" || p.TypeCheck == 0 || p.Analysis == 0 {
			t.Errorf("%s: got %+v, want %d findings", name, p, findings)
		}
	}
	again := made("example.com/a/agent@v1")
	if p := again["example.com/a/agent@v1"]; len(again) != 1 || !p.Alone || p.Findings != 1 {
		t.Errorf("measured alone: %+v", again)
	}
	for _, p := range all {
		if err := r.add(p); err != nil {
			t.Fatal(err)
		}
	}
	if rest := made(); len(rest) != 0 {
		t.Errorf("done again: %+v", rest)
	}
}

// The tables tell how many packages there are, which is slow, and what went wrong.
func TestSumUp(t *testing.T) {
	dir := t.TempDir()
	r, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []record{
		{Root: "a@v1", Package: "p@v1", TypeCheck: time.Millisecond, Analysis: 20 * time.Millisecond, Findings: 2, Alone: true},
		{Root: "a@v1", Package: "q@v1", Error: "panic: no"},
		{Root: "b@v1", Package: "r@v1", Hung: true},
	} {
		if err := r.add(next); err != nil {
			t.Fatal(err)
		}
	}
	r.close()
	var got bytes.Buffer
	if err := sumUp(options{out: dir, min: time.Millisecond, ratio: 10}, &got); err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(got.String()), " ")
	for _, want := range []string{
		"a@v1 2 0 0.0 s 0.0 s 2 1 0 0 0", "all 3 0 0.0 s 0.0 s 2 1 0 1 0", "1 take more than 10 times",
		"p@v1 1 ms 20 ms 20.0 0 alone", "q@v1: panic: no", "r@v1 hung",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("%q is not in\n%s", want, got.String())
		}
	}
}
