// Package plain runs tests without the race detector. Where one goroutine computes,
// the detector has nothing to find, and makes that take ten times as long.
package plain

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// dir is where the program without detector is built; Main removes it.
var dir string

// Main runs the tests of a package in which some call Run.
func Main(m *testing.M) {
	code := m.Run()
	if dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var program = sync.OnceValues(func() (string, error) {
	var err error
	if dir, err = os.MkdirTemp("", "plain"); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "plain.test.exe") // that Windows runs
	if out, err := exec.Command("go", "test", "-race=false", "-c", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c: %v\n%s", err, out)
	}
	return path, nil
})

// Run runs the test that calls it in a program that is this one without the race
// detector, if this one has it. It reports whether it did: then the test is done, and
// a fuzz test has no seeds to add. The test's package must call Main.
func Run(t testing.TB) bool {
	t.Helper()
	if !detector || value("fuzz") != "" {
		return false
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(path, arguments(t.Name(), log)...)
	out, err := cmd.CombinedOutput()
	depend(log)
	switch {
	case err != nil:
		t.Errorf("without race detector: %v\n%s", err, out)
	case bytes.Contains(out, []byte("\n--- SKIP: "+t.Name()+" ")):
		t.Skipf("without race detector:\n%s", out)
	case !bytes.Contains(out, []byte("\n--- PASS: "+t.Name()+" ")):
		t.Errorf("without race detector the test was not run:\n%s", out)
	default:
		t.Logf("without race detector:\n%s", out)
	}
	return true
}

// arguments are those of this program, but for the test to run, and what is written
// where this program writes itself.
func arguments(test, log string) []string {
	run := "^" + test + "$"
	if _, below, ok := strings.Cut(value("run"), "/"); ok {
		run += "/" + below
	}
	args := []string{"-test.v", "-test.count=1", "-test.run=" + run, "-test.testlogfile=" + log}
	for _, name := range []string{"short", "timeout", "skip"} {
		args = append(args, "-test."+name+"="+value(name))
	}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	return args
}

func value(name string) string { return flag.Lookup("test." + name).Value.String() }

// depend looks at what the other program has looked at. So the go command learns of
// it, which repeats what it knows of a test as long as that is the same.
func depend(log string) {
	f, err := os.Open(log)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch op, name, _ := strings.Cut(lines.Text(), " "); op {
		case "getenv":
			os.Getenv(name)
		case "stat":
			os.Stat(name)
		case "open":
			if f, err := os.Open(name); err == nil {
				f.Close()
			}
		}
	}
}
