package safeio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func init() {
	errands["sweeper"] = func(args []string) error { return sweepOften(args[0], args[1]) }
}

// sweepOften sweeps dir until the file until is there.
func sweepOften(dir, until string) error {
	for {
		if _, err := Sweep(dir); err != nil {
			return err
		}
		if _, err := os.Stat(until); err == nil {
			return nil
		}
	}
}

// needLocks skips where Sweep has nothing to go by.
func needLocks(t *testing.T) {
	t.Helper()
	if err := tryLock((*os.File)(nil)); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no locks here")
	}
}

func TestSweep(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	for range 3 {
		// The third step is the write: the temporary is there.
		if got := reported(t, child(t, "die-write", name, "n*10", "3")); got != "" {
			t.Fatalf("reported %q", got)
		}
	}
	dead := others(t, dir, "state")
	if len(dead) != 3 {
		t.Fatalf("%q are left", dead)
	}
	// Whatever its mode, it is dead.
	if err := os.Chmod(filepath.Join(dir, dead[0]), 0); err != nil {
		t.Fatal(err)
	}
	living, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	stay := []string{"state", "sub", "dir" + tempPrefix + tempSuffix, filepath.Base(living.out.Name())}
	for _, other := range []string{tempPrefix + "1", "1" + tempSuffix, "x" + tempPrefix + "1" + tempSuffix, tempPrefix + "1" + tempSuffix + "x"} {
		mustWrite(t, filepath.Join(dir, other), "", 0o644)
		stay = append(stay, other)
	}
	below := filepath.Join(dir, tempPrefix+"directory"+tempSuffix)
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(below, tempPrefix+"1"+tempSuffix), "", 0o644)
	stay = append(stay, filepath.Base(below))
	linked := filepath.Join(dir, tempPrefix+"link"+tempSuffix)
	if makeLink("state", linked) == nil {
		stay = append(stay, filepath.Base(linked))
	}

	removed, err := Sweep(dir)
	if removed != 3 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	wantOnly(t, dir, stay...)
	wantOnly(t, below, tempPrefix+"1"+tempSuffix)
	if got := len(others(t, dir)); got != len(stay)-2 {
		t.Errorf("%d are left of %q", got, stay)
	}
	if _, err := living.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := living.Commit(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "new")
}

// TestSweepOfLockFiles takes away those of files that are gone, and those that an
// older version has made; nothing that another program may have made, and none that
// is held.
func TestSweepOfLockFiles(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	in := func(base string) string { return filepath.Join(dir, base) }
	for _, base := range []string{"state", "gone", "held", "young"} {
		mustUnlock(t, mustLock(t, in(base)), nil)
	}
	for _, base := range []string{"state", "young", "Gemfile", "Gemfile.lock", "index.lock", "state.lock", "young.lock"} {
		mustWrite(t, in(base), "", 0o644)
	}
	mustWrite(t, in("full"), "", 0o644)
	mustUnlock(t, mustLock(t, in("full")), nil)
	mustWrite(t, in("full.lock"), "GEM", 0o644)
	long := time.Now().Add(-2 * quiet)
	for _, base := range []string{"Gemfile.lock", "index.lock", "state.lock", "full.lock"} {
		if err := os.Chtimes(in(base), long, long); err != nil {
			t.Fatal(err)
		}
	}
	held := mustLock(t, in("held"))
	removed, err := Sweep(dir)
	if removed != 2 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	wantOnly(t, dir, "state", ".safeio-state.lock", ".safeio-held.lock", "young", "young.lock", ".safeio-young.lock",
		"Gemfile", "Gemfile.lock", "index.lock", "full", "full.lock", ".safeio-full.lock")
	mustUnlock(t, held, nil)
}

func TestSweepOfNoDirectory(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	mustWrite(t, file, "", 0o644)
	for name, want := range map[string]error{filepath.Join(dir, "none"): fs.ErrNotExist, "": fs.ErrNotExist, file: nil} {
		removed, err := Sweep(name)
		var pe *fs.PathError
		if removed != 0 || !errors.As(err, &pe) || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %d, %v", name, removed, err)
		}
	}
}

// TestSweepBetweenCreateAndLock comes when the temporary is there, but its
// writer has not locked it yet; or holds it locked at that moment.
func TestSweepBetweenCreateAndLock(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, tempPrefix+"1"+tempSuffix)
	f, err := createTemp(directory{}, name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if removed, err := Sweep(dir); removed != 1 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	if _, err := claim(f); !errors.Is(err, errLocked) {
		t.Errorf("claim says %v", err)
	}

	f, err = createTemp(directory{}, name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sweeper, err := openStale(directory{}, name)
	if err != nil {
		t.Fatal(err)
	}
	defer sweeper.Close()
	if err := tryLock(sweeper); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(f); !errors.Is(err, errLocked) {
		t.Errorf("claim says %v", err)
	}
}

// TestSweepOfAnotherFile has a name that has come to lead to another file.
func TestSweepOfAnotherFile(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "name"), filepath.Join(dir, "other")
	mustWrite(t, name, "", 0o644)
	mustWrite(t, other, "", 0o644)
	f, err := openStale(directory{}, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !isNameOf(name, f) || isNameOf(other, f) {
		t.Error("cannot tell the files apart")
	}
	os.Rename(other, name)
	if isNameOf(name, f) {
		t.Error("the old file for the new")
	}
}

// TestSweepAmongWriters has processes sweep all the time while others write:
// no write fails, nothing is lost.
func TestSweepAmongWriters(t *testing.T) {
	needLocks(t)
	dir, elsewhere := memoryDir(t), t.TempDir()
	until := filepath.Join(elsewhere, "until")
	sweepers := make(chan string)
	for range 3 {
		cmd := child(t, "sweeper", dir, until)
		go func() {
			out, err := cmd.Output()
			sweepers <- fmt.Sprint(string(out), err)
		}()
	}
	var writers waitGroup
	for w := range 4 {
		writers.Go(func() {
			name := filepath.Join(dir, "state"+strconv.Itoa(w))
			for i := range 100 {
				content := fmt.Sprint(w, i)
				if err := WriteFile(name, []byte(content), 0o644); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(name); err != nil || string(got) != content {
					t.Errorf("got %q, %v, want %q", got, err, content)
				}
			}
		})
	}
	writers.Wait()
	mustWrite(t, until, "", 0o644)
	for range 3 {
		if got := <-sweepers; !strings.HasPrefix(got, "nil") {
			t.Error(got)
		}
	}
	wantOnly(t, dir, "state0", "state1", "state2", "state3")
}
