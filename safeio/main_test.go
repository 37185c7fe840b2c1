package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary is also the other processes of its tests: with childEnv set
// it does what its arguments say and reports on standard output.
const childEnv = "SAFEIO_TEST_CHILD"

// strace follows the first thread, to which only an init can bind the goroutine
// that does the errand.
func init() {
	if os.Getenv(childEnv) != "" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		code := m.Run()
		if plainDir != "" {
			os.RemoveAll(plainDir)
		}
		os.Exit(code)
	}
	fmt.Print(report(childMain(os.Args[1], os.Args[2:])))
}

// errands are what a child process can be sent for. Test files add theirs.
var errands = map[string]func(args []string) error{
	"write": func(args []string) error { return WriteFile(args[0], readContent(args[1]), 0o644) },
	"strict": func(args []string) error {
		return Options{Strict: true}.WriteFile(args[0], readContent(args[1]), 0o644)
	},
	"create":    func(args []string) error { return createAndCommit(Options{}, args[0], readContent(args[1])) },
	"sync":      func(args []string) error { return createAndSync(args[0], readContent(args[1])) },
	"oswrite":   func(args []string) error { return os.WriteFile(args[0], readContent(args[1]), 0o644) },
	"die-write": func(args []string) error { return dying(args[2]).WriteFile(args[0], readContent(args[1]), 0o644) },
	"die-nosync": func(args []string) error {
		o := dying(args[2])
		o.NoSync = true
		return o.WriteFile(args[0], readContent(args[1]), 0o644)
	},
	"die-create": func(args []string) error {
		return createAndCommit(dying(args[2]), args[0], readContent(args[1]))
	},
	"backup": func(args []string) error { return Backup(args[0]) },
	"writer": func(args []string) error { return writeOften(args[0], args[1]) },
	"reader": func(args []string) error { return readOften(args[0], args[1]) },
}

// A waitGroup is a sync.WaitGroup that starts what it waits for, as that of Go 1.25
// does.
type waitGroup struct{ sync.WaitGroup }

// Go runs f in a goroutine that the group waits for.
func (g *waitGroup) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}

// lockPath is the lock file of the named file.
func lockPath(name string) string { return target{path: name}.lockName() }

// chdir makes dir the working directory for the rest of the test.
func chdir(t *testing.T, dir string) {
	t.Helper()
	was, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chdir(was) })
}

// childMain does one errand of a child process.
func childMain(errand string, args []string) error {
	do := errands[errand]
	if do == nil {
		return fmt.Errorf("no errand %q", errand)
	}
	return do(args)
}

// readContent decodes a content argument such as "a*5000".
func readContent(arg string) []byte {
	letter, count, _ := strings.Cut(arg, "*")
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 1
	}
	return bytes.Repeat([]byte(letter), n)
}

// createAndCommit writes data in two pieces.
func createAndCommit(o Options, name string, data []byte) error {
	f, err := o.Create(name, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data[:len(data)/2]); err != nil {
		return err
	}
	if _, err := f.Write(data[len(data)/2:]); err != nil {
		return err
	}
	return f.Commit()
}

// createAndSync passes on what Sync says, as Commit does.
func createAndSync(name string, data []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Commit())
}

// dying are options with which the process is killed at the n-th step.
func dying(n string) Options {
	left, _ := strconv.Atoi(n)
	return Options{hook: func(string) error {
		if left--; left == 0 {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		return nil
	}}
}

// report puts what matters of err on one line.
func report(err error) string {
	if err == nil {
		return "nil"
	}
	var marks []string
	for _, m := range []struct {
		name string
		err  error
	}{
		{"published", ErrPublished}, {"notatomic", ErrNotAtomic},
		{"permission", fs.ErrPermission}, {"notexist", fs.ErrNotExist},
	} {
		if errors.Is(err, m.err) {
			marks = append(marks, m.name)
		}
	}
	return fmt.Sprintf("%v %v", marks, err)
}

// single are the errands that do one thing, in one goroutine. Tests start them once for
// each step that can be the last one; the race detector has nothing to find in them,
// and takes most of the time that such a process lives.
var single = map[string]bool{
	"write": true, "strict": true, "create": true, "sync": true, "oswrite": true, "append": true,
	"die-write": true, "die-create": true, "die-append": true, "die-update": true, "die-replace": true, "half-append": true, "limited-append": true,
	"protocol": true, "begin-and-die": true, "killed": true, "update-append": true, "backup": true, "save-locked": true, "strict-update": true, "add-entry": true, "trylock": true,
}

// plainDir is where plainBinary is; TestMain removes it.
var plainDir string

// plainBinary is the test binary without race detector.
var plainBinary = sync.OnceValues(func() (string, error) {
	var err error
	if plainDir, err = os.MkdirTemp("", "safeio-test"); err != nil {
		return "", err
	}
	name := filepath.Join(plainDir, "plain.test")
	if out, err := exec.Command("go", "test", "-race=false", "-c", "-o", name, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c: %v\n%s", err, out)
	}
	return name, nil
})

// child prepares another process.
func child(t *testing.T, errand string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	binary := os.Args[0]
	if raceDetector && single[errand] {
		var err error
		if binary, err = plainBinary(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, append([]string{errand}, args...)...)
	cmd.Env = append(os.Environ(), childEnv+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// reported runs cmd to its end and returns its report. A killed process
// reports "".
func reported(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

func mustWrite(t *testing.T, name, content string, perm fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, perm); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// wantContent compares without printing long contents.
func wantContent(t *testing.T, name, want string) {
	t.Helper()
	if got := mustRead(t, name); got != want {
		t.Errorf("%s: got %s, want %s", filepath.Base(name), brief(got), brief(want))
	}
}

func brief(s string) string {
	if len(s) <= 40 {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:20], len(s))
}

// wantOnly fails if dir holds anything but names.
func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, e := range others(t, dir, names...) {
		t.Errorf("left behind: %s", e)
	}
}

// others lists what dir holds besides names.
func others(t *testing.T, dir string, names ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var rest []string
next:
	for _, e := range entries {
		for _, n := range names {
			if e.Name() == n {
				continue next
			}
		}
		rest = append(rest, e.Name())
	}
	return rest
}

// eventually waits for what another goroutine or process is about to do.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// openFiles counts descriptors, where that is possible.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil || runtime.GOOS == "windows" { // under Wine, the directory counts something else
		return 0
	}
	return len(entries)
}
