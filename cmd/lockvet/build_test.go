package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// built is where programs are built that several tests run; TestMain makes and
// removes it.
var built string

// inBuilt runs the tests with a directory for such programs.
type inBuilt struct{ *testing.M }

func (m inBuilt) Run() int {
	os.Setenv("GOPROXY", "off") // a proxy may have safeio, or be slow to say that it has not
	os.Setenv("GOGC", "400")    // hundreds of go commands end soon; collecting is a third of their time
	dir, err := os.MkdirTemp("", "lockvet-built")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	os.Setenv(cacheVariable, filepath.Join(dir, "results")) // and not those of the user
	done := makeWork()
	defer done()
	return m.M.Run()
}

// work is where the modules stand that tests run lockvet over: the same directory in
// each run of the tests, because the go command finds what it has compiled of a module
// only where the module stood. Many of them have a copy of safeio.
var work string

// makeWork makes the directory: the next, where another run has it, and a new one, where
// none of a few is to be had.
func makeWork() (done func()) {
	unlock := func() error { return nil }
	cache, err := os.UserCacheDir()
	found := err == nil && os.MkdirAll(cache, 0o777) == nil
	for n := 0; n < 4 && found && work == ""; n++ {
		name := filepath.Join(cache, fmt.Sprintf("lockvet-test%d", n))
		if held, err := safeio.TryLock(name); err == nil {
			work, unlock = name, held.Unlock
			removeWork(work) // of a run that was killed
		}
	}
	if work == "" {
		work = filepath.Join(built, "work")
	}
	return func() {
		removeWork(work)
		unlock()
	}
}

// workDir makes a directory for a test.
func workDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(work, filepath.FromSlash(t.Name()))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeWork(dir) })
	return dir
}

// removeWork removes a directory, and what a test has made read-only in it.
func removeWork(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// buildLockvet returns the path of the command: the test binary under its name.
func buildLockvet(t *testing.T) string {
	t.Helper()
	programs, err := testPrograms()
	if err != nil {
		t.Fatal(err)
	}
	return programs["lockvet"]
}

// testPrograms returns the path of each command that the test binary is under
// another name.
var testPrograms = sync.OnceValues(func() (map[string]string, error) {
	test, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for name := range commands {
		all[name] = filepath.Join(built, name+executable)
		if err := os.Link(test, all[name]); err != nil { // on another volume
			if all[name], err = exec.LookPath(name); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
})

// executable is how the names of programs end.
var executable = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]
