package analyzer_test

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/srctest"
)

// maxGrowth is how much more steps and memory a program may take that is twice as large.
const maxGrowth = 2.5

// square are the kinds of programs that may take four times as much: in a chain of n calls, each
// function has the effects of all below it, and of n saves in one function each is followed to the end.
var square = map[string]float64{
	"a diamond of calls": 4, "loads and saves of one file in one function": 4, "functions with named results that call the next": 4,
}

// TestGrowth checks that the steps of an analysis, and the memory, grow as the program
// does: of each kind of program one of some size, one twice as large and one four times.
// The memory is all that is allocated: that is the same in each run, and the peak is no
// more.
func TestGrowth(t *testing.T) {
	for _, k := range growing {
		t.Run(k.name, func(t *testing.T) {
			last, lastBytes, most := 0, uint64(0), cmp.Or(square[k.name], maxGrowth)
			for _, n := range []int{k.size, 2 * k.size, 4 * k.size} {
				files := []srctest.File{{Name: "p.go", Source: k.source(n)}}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				r := analyse(t, srctest.New(), "example.com/agent/grown", files)
				runtime.ReadMemStats(&after)
				bytes := after.TotalAlloc - before.TotalAlloc
				if last > 0 && float64(bytes) > most*float64(lastBytes) {
					t.Errorf("size %d allocates %d bytes, half of it %d", n, bytes, lastBytes)
				}
				lastBytes = bytes
				if len(r.result.GaveUp) > 0 {
					t.Errorf("size %d: gave up on %v", n, r.result.GaveUp)
				}
				if last > 0 && float64(r.result.Steps) > most*float64(last) {
					t.Errorf("size %d takes %d steps, half of it %d", n, r.result.Steps, last)
				}
				last = r.result.Steps
			}
		})
	}
}

// A kind of program that can be made in any size.
type kind struct {
	name   string
	size   int
	source func(n int) string
}

// head is what all programs begin with: a state that is loaded and saved.
const head = `package grown

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

var _, _, _, _, _ = errors.New, fmt.Errorf, filepath.Join, sync.OnceFunc, json.Valid

type State struct{ N uint64; Name string }

func load(path string) (*State, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s State
	return &s, json.Unmarshal(b, &s)
}

func save(path string, s *State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
`

// lines are n lines, with the number of each for #, and that of the next for #+.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#+", fmt.Sprint(i+1), "#", fmt.Sprint(i)).Replace(format))
		b.WriteByte('\n')
	}
	return b.String()
}

// growing are the kinds of programs: each is one way in which a program can get large.
var growing = []kind{
	{"helpers that call helpers three times", 8, func(n int) string {
		return head + "func h0(path string) error { return save(path, &State{}) }\n" +
			lines(n, "func h#+(path string) error { return errors.Join(h#(path), h#(path), h#(path)) }")
	}},
	{"branches behind a load", 20, func(n int) string {
		return head + "func f(path string, k int) error {\n s, err := load(path)\n if err != nil { return err }\n" +
			lines(n, " if k == # { s.N++ }") + " return save(path, s)\n}\n"
	}},
	{"writes in one function", 20, func(n int) string {
		return head + "func f(dir string, s *State) {\n" + lines(n, ` save(filepath.Join(dir, "state#.json"), s)`) + "}\n"
	}},
	{"mutexes and fields", 10, func(n int) string {
		return head + "type T struct {\n" + lines(n, " mu# sync.Mutex; f# map[string]int") + "}\n" +
			lines(n, "func (t *T) m#(k string) { t.mu#.Lock(); defer t.mu#.Unlock(); t.f#[k]++; delete(t.f#, k) }") +
			"func (t *T) save(path string) error { b, _ := json.Marshal(t); return os.WriteFile(path, b, 0o600) }\n"
	}},
	{"string building", 20, func(n int) string {
		return head + "func f(dir, s string) error {\n" + lines(n, ` s = s + "-" + s`) + " return save(dir+s, &State{})\n}\n"
	}},
	{"arithmetic between load and save", 20, func(n int) string {
		return head + "func f(path string) error {\n s, err := load(path)\n if err != nil { return err }\n h := s.N\n" +
			lines(n, " h = h ^ (h << 7)") + " if h == 0 { return nil }\n s.N = h\n return save(path, s)\n}\n"
	}},
	{"closures that call each other", 10, func(n int) string {
		return head + "func f(path string) error {\n var err error\n c0 := func() { err = save(path, &State{}) }\n" +
			lines(n, " c#+ := func() { c#(); c#() }") + fmt.Sprintf(" c%d()\n return err\n}\n", n)
	}},
	{"a clique of functions", 6, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func k%d(path string, n int) {\n if n == 0 { save(path, &State{}); return }\n", i)
			for j := range 4 {
				fmt.Fprintf(&b, " k%d(path, n-1)\n", (i+1+j*j)%n)
			}
			b.WriteString("}\n")
		}
		return head + b.String()
	}},
	{"nested types", 10, func(n int) string {
		return head + "type t0 struct{ State }\n" + lines(n, "type t#+ struct{ in *t#; v t#; m map[string]t# }") +
			fmt.Sprintf("func f(path string, t *t%d) error { b, _ := json.Marshal(t); return os.WriteFile(path, b, 0o600) }\n", n)
	}},
	{"a switch that wraps an error", 10, func(n int) string {
		return head + "func f(path string, kinds []int) error {\n _, err := load(path)\n for _, k := range kinds {\n switch k {\n" +
			lines(
				n,
				` case #: err = fmt.Errorf("w#: %w", err)`,
			) + " }\n }\n if err != nil { return err }\n return save(path, &State{})\n}\n"
	}},
	{"a list appended to itself", 20, func(n int) string {
		return head + "func f(path string) error {\n l := []byte(path)\n" + lines(
			n,
			" l = append(l, l...)",
		) + " return os.WriteFile(path, l, 0o600)\n}\n"
	}},
	{"a diamond of calls", 8, func(n int) string {
		return head + "func a0(p string) error { s, err := load(p); if err != nil { return err }; s.N++; return " +
			"save(p, s) }\nfunc b0(p string) error { return a0(p) }\n" +
			lines(
				n,
				"func a#+(p string) error { return errors.Join(a#(p), b#(p)) }\nfunc b#+(p string) error { return errors.Join(b#(p), a#(p)) }",
			)
	}},
	{"cases that each name a file and save it", 20, func(n int) string {
		return head + "func f(dir string, op int, s *State) (err error) {\n p := dir\n switch op {\n" +
			lines(
				n,
				` case #: p = filepath.Join(p, "state#.json"); if _, e := os.Stat(p); e != nil { err = save(p, s) }`,
			) + " }\n return err\n}\n"
	}},
	{"loads and saves of one file in one function", 10, func(n int) string {
		return head + "func f(p string) error {\n var s *State\n var err error\n" +
			lines(n, " if s, err = load(p); err != nil { return err }\n s.N++\n if s.N > # { s.N-- }\n if err = "+
				"save(p, s); err != nil { return err }") + " return nil\n}\n"
	}},
	{"functions with named results that call the next", 8, func(n int) string {
		return head + "func r0(dir string) (s *State, err error) { return load(dir) }\n" +
			lines(n, "func r#+(dir string) (s *State, err error) {\n defer func() { err = errors.Join(err, "+
				"save(dir+\"/s#.json\", s)) }()\n if s, err = load(dir + \"/s#.json\"); err != nil { s, err = nil, nil "+
				"}\n t, err := r#(dir)\n if err != nil { return t, err }\n return\n}")
	}},
	{"recursion with several results", 6, func(n int) string {
		return head + lines(n, "func r#(path string, n int) (*State, string, error) {\n if n == 0 { s, err := "+
			"load(path); return s, path, err }\n return r#(path, n-1)\n}\nfunc u#(p string) error { s, q, err := r#(p, "+
			"3); if err != nil { return err }; s.N++; return save(q, s) }")
	}},
}

// FuzzGrown analyses programs of these kinds, in some size and with statements moved,
// wrapped, lost and added: it ends within the budget, without a panic.
func FuzzGrown(f *testing.F) {
	for i := range growing {
		f.Add(uint(i), uint(7*i), []byte{byte(i), byte(3 * i), 1, byte(i * i)})
	}
	f.Fuzz(func(t *testing.T, which, n uint, ops []byte) {
		if len(ops) > 30 {
			return
		}
		k := growing[which%uint(len(growing))]
		src := string(vary([]byte(k.source(1+int(n%60))), ops))
		files := []srctest.File{{Name: "p.go", Source: src}}
		if _, err := srctest.New().CheckFiles("example.com/agent/grown", files); err != nil {
			return
		}
		r := analyse(t, srctest.New(), "example.com/agent/grown", files)
		if r.result.Steps > flow.Limit {
			t.Errorf("took %d steps", r.result.Steps)
		}
	})
}
