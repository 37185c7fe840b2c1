package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// built is where programs are built that several tests run; TestMain makes and
// removes it.
var built string

// inBuilt runs the tests with a directory for such programs.
type inBuilt struct{ *testing.M }

func (m inBuilt) Run() int {
	dir, err := os.MkdirTemp("", "lockvet-built")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	return m.M.Run()
}

// buildLockvet returns the path of the command, which is built once for all tests.
func buildLockvet(t *testing.T) string {
	t.Helper()
	path, err := lockvetBuilt()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var lockvetBuilt = sync.OnceValues(func() (string, error) {
	return goBuild("lockvet", "build")
})

// testPrograms returns the path of each command that the test binary is under
// another name, but for lockvet, as a program without race detector. go vet starts
// one for every package of the standard library, which works on one package and
// ends: a detector takes many times as long to start, and has nothing to find. The
// scripts that are not watched run these, too.
var testPrograms = sync.OnceValues(func() (map[string]string, error) {
	test, err := os.Executable()
	if raceDetector && err == nil {
		test, err = goBuild("test", "test", "-c")
	}
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for name := range commands {
		if name == "lockvet" {
			continue
		}
		all[name] = filepath.Join(built, name+executable)
		if err := os.Link(test, all[name]); err != nil { // on another volume
			if all[name], err = exec.LookPath(name); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
})

func goBuild(name string, verb ...string) (string, error) {
	path := filepath.Join(built, name+executable)
	out, err := exec.Command("go", append(verb, "-o", path, ".")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %v\n%s", verb[0], err, out)
	}
	return path, nil
}

// executable is how the names of programs end.
var executable = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]
