package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockvet/lockvet/internal/bundle"
)

// slowly is lockvet-slow: lockvet-fake, which says on standard output before each step
// of writing which that is, waits for a while, and ends as if it had been killed before
// the step of the number $LOCKVET_STEP.
func slowly() {
	last, err := strconv.Atoi(os.Getenv("LOCKVET_STEP"))
	if err != nil {
		last = -1
	}
	n := 0
	step := func(what string) error {
		fmt.Println("step", what)
		if n == last {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				self.Kill()
			}
			select {}
		}
		n++
		time.Sleep(slowness)
		return nil
	}
	c := command{analyzer: newFake, step: step, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(c.run(os.Args[1:]))
}

const slowness = 10 * time.Millisecond

var kills = flag.Int("kills", 16, "how many runs TestKilled kills, or more; 200 take some minutes")

// TestKilled: whenever a run is killed, the tree builds, and the next run comes to the
// same end, byte for byte.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("folders cannot be exchanged")
	}
	t.Parallel()
	programs, err := testPrograms()
	if err != nil {
		t.Skip(err)
	}
	extended, err := bundle.Copy([]string{"TryLock"}, "v0.0.1", "")
	if err != nil {
		t.Fatal(err)
	}
	// What is declared in a file of another name would be declared twice, if files were replaced one by one.
	extended["old.go"] = extended["lock.go"]
	delete(extended, "lock.go")
	for name, copied := range map[string]map[string][]byte{"new": nil, "extended": extended} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &killer{dir: workDir(t), cache: t.TempDir(), slow: programs["lockvet-slow"], fake: programs["lockvet-fake"], copied: copied}
			k.standard = importer.ForCompiler(token.NewFileSet(), "gc", export)
			k.begin(t)
			kinds, steps := k.steps(t)
			k.want = k.read(t)
			seed := uint64(time.Now().UnixNano())
			r := rand.New(rand.NewPCG(seed, 0))
			for n := range max(*kills/2, kinds) {
				if n%2 == 0 { // or the run is killed that comes after one that was
					k.begin(t)
				}
				what := k.kill(t, n, steps, r)
				if n%2 == 1 {
					k.comesToItsEnd(t)
				}
				if t.Failed() {
					t.Fatalf("kill %d, %s (seed %d)", n, what, seed)
				}
			}
		})
	}
}

// A killer kills runs over one module.
type killer struct {
	dir, cache string
	standard   types.Importer
	slow, fake string
	copied     map[string][]byte
	want       map[string]string
}

// begin makes the module as it is before.
func (k *killer) begin(t *testing.T) {
	t.Helper()
	files := map[string]string{
		"go.mod": "module example.com/killed\n\ngo 1.24\n",
		"a/a.go": "package a\n\nimport \"os\"\n\nfunc save() error { return os.WriteFile(\"a\", nil, 0o644) }\n",
		"b/b.go": "package b\n\nimport \"os\"\n\nfunc save() error { return os.WriteFile(\"b\", nil, 0o644) }\n",
	}
	if k.copied != nil {
		files["c/c.go"] = "package c\n\nimport \"example.com/killed/internal/safeio\"\n\nvar Hold = safeio.TryLock\n"
	}
	for name, content := range k.copied {
		files["internal/safeio/"+name] = string(content)
	}
	removeWork(k.dir)
	for name, content := range files {
		name = filepath.Join(k.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// run starts a program over the module.
func (k *killer) run(program string, step int) *exec.Cmd {
	cmd := exec.Command(program, "-fix", "./...")
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "LOCKVET_CACHE="+k.cache, "LOCKVET_STEP="+strconv.Itoa(step), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	return cmd
}

// whole is a run that nobody kills.
func (k *killer) whole(t *testing.T) {
	t.Helper()
	if out, err := k.run(k.fake, -1).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// steps are the numbers of the steps of a run that nobody kills: first those of which each is of a kind of its own,
// as each file that is put in place and the first thing of each kind that is prepared in a folder, then the others.
func (k *killer) steps(t *testing.T) (kinds int, steps []int) {
	t.Helper()
	out, err := k.run(k.slow, -1).Output()
	var first, others []int
	seen := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		if what, ok := strings.CutPrefix(line, "step "); ok {
			n := len(first) + len(others)
			kind := what
			if !strings.HasPrefix(what, "commit ") {
				kind = filepath.Dir(what)
			}
			if seen[kind] {
				others = append(others, n)
			} else {
				seen[kind] = true
				first = append(first, n)
			}
		}
	}
	if err != nil || len(first) < 6 {
		t.Fatalf("%d steps of %d kinds, %v\n%s", len(first)+len(others), len(first), err, out)
	}
	return len(first), append(first, others...)
}

// kill kills a run: the first ones before each step, others at any time from the first
// step on, every tenth before it.
func (k *killer) kill(t *testing.T, n int, steps []int, r *rand.Rand) (what string) {
	t.Helper()
	step := -1
	if n < len(steps) {
		step = steps[n]
	}
	cmd := k.run(k.slow, step)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	switch {
	case step >= 0:
	case n%10 == 0:
		time.Sleep(rand.N(400 * time.Millisecond))
		cmd.Process.Kill()
	default:
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "step ") {
		}
		time.Sleep(time.Duration(r.Int64N(int64(len(steps)+1) * int64(slowness))))
		cmd.Process.Kill()
	}
	for lines.Scan() {
		what = lines.Text()
	}
	cmd.Wait()
	what = fmt.Sprintf("before step %d, %q", step, what)
	if err := k.builds(); err != nil {
		t.Errorf("the tree does not build: %v", err)
	}
	return what
}

// comesToItsEnd makes sure that a run does what it would have done at once.
func (k *killer) comesToItsEnd(t *testing.T) {
	t.Helper()
	if k.whole(t); !maps.Equal(k.read(t), k.want) {
		t.Errorf("the next run comes to another end: %v, want %v", k.read(t), k.want)
	}
}

// read is what the files of the module hold.
func (k *killer) read(t *testing.T) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(k.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		rel, _ := filepath.Rel(k.dir, name)
		files[rel] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// builds type-checks the packages of the module.
func (k *killer) builds() error {
	for _, folder := range []string{"a", "b", "c"} {
		if _, err := os.Stat(filepath.Join(k.dir, folder)); err != nil {
			continue
		}
		if _, err := k.Import("example.com/killed/" + folder); err != nil {
			return err
		}
	}
	return nil
}

// exports are the files with what the compiler has told of the packages that safeio
// imports, by their paths.
var exports = sync.OnceValues(func() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "../../safeio").Output()
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files, nil
})

// export opens what the compiler has told of a package.
func export(path string) (io.ReadCloser, error) {
	files, err := exports()
	if err != nil {
		return nil, err
	}
	return os.Open(files[path])
}

// Import type-checks a package of the module, or of the standard library.
func (k *killer) Import(path string) (*types.Package, error) {
	folder, ok := strings.CutPrefix(path, "example.com/killed/")
	if !ok {
		return k.standard.Import(path)
	}
	pkg, err := build.ImportDir(filepath.Join(k.dir, folder), 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return (&types.Config{Importer: k}).Check(path, fset, files, nil)
}
