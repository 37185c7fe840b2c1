package safeio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Promise 1: the old content or the new, whole.

const (
	oldContent = "o*300000"
	newContent = "n*200000"
)

// TestKilledAtEveryStep kills a writer before its first step, its second, and so on
// until it gets through.
func TestKilledAtEveryStep(t *testing.T) {
	for errand, least := range map[string]int{"die-write": 7, "die-create": 7, "die-nosync": 5} {
		t.Run(errand, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			for n := 1; ; n++ {
				mustWrite(t, name, string(readContent(oldContent)), 0o644)
				got := reported(t, child(t, errand, name, newContent, strconv.Itoa(n)))
				wantWhole(t, name)
				wantDeadTemps(t, dir, "state")
				if got == "nil" {
					wantContent(t, name, string(readContent(newContent)))
					if n < least {
						t.Errorf("only %d steps were interrupted", n-1)
					}
					return
				}
				if got != "" {
					t.Fatalf("killed at step %d, yet reported %q", n, got)
				}
			}
		})
	}
}

// TestFailedAtEveryStep lets every step fail in turn. An error must not change
// the content, unless it says so, and nothing may be left behind.
func TestFailedAtEveryStep(t *testing.T) {
	failure := errors.New("no such luck")
	for _, target := range []string{"existing", "new", "existing, NoSync"} {
		for fail := 1; ; fail++ {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			before := ""
			if target != "new" {
				before = "before"
				mustWrite(t, name, before, 0o644)
			}
			count, failed := 0, ""
			o := Options{NoSync: strings.HasSuffix(target, "NoSync"), hook: func(step string) error {
				if count++; count == fail {
					failed = step
					return failure
				}
				return nil
			}}
			err := o.WriteFile(name, []byte("after"), 0o644)
			if failed == "" {
				if err != nil {
					t.Errorf("%s: nothing failed, but %v", target, err)
				}
				break
			}
			if !errors.Is(err, failure) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s failed: error %v", target, failed, err)
			}
			content, _ := os.ReadFile(name)
			want := before
			if errors.Is(err, ErrPublished) {
				want = "after"
			}
			if string(content) != want {
				t.Errorf("%s, %s failed with %v: content %q", target, failed, err, content)
			}
			wantOnly(t, dir, "state")
		}
	}
}

// TestUnsynced: with NoSync nothing is synced where a file is replaced; without, the content and
// the directory are.
func TestUnsynced(t *testing.T) {
	for _, noSync := range []bool{true, false} {
		var steps []string
		o := Options{NoSync: noSync, hook: func(step string) error {
			steps = append(steps, step)
			return nil
		}}
		name := filepath.Join(t.TempDir(), "cache")
		if err := o.WriteFile(name, []byte("first"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := createAndCommit(o, name, []byte("second")); err != nil {
			t.Fatal(err)
		}
		wantContent(t, name, "second")
		if n := strings.Count(strings.Join(steps, " "), "sync"); !noSync && n != 4 || noSync && n != 0 {
			t.Errorf("NoSync %t: %d syncs, in %q", noSync, n, steps)
		}
	}
	name := filepath.Join(t.TempDir(), "cache")
	if err := WriteFileNoSync(name, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "whole")
}

// TestManyProcesses has 64 processes write and read one file; fewer on
// Windows, where every reader keeps every writer out.
func TestManyProcesses(t *testing.T) {
	writers, readers := 40, 24
	if runtime.GOOS == "windows" {
		writers, readers = 4, 3
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, string(readContent("0*50000")), 0o644)

	results := make(chan string)
	for i := range writers + readers {
		errand, id := "writer", strconv.Itoa(i)
		if i >= writers {
			errand = "reader"
		}
		cmd := child(t, errand, name, id)
		go func() {
			out, err := cmd.Output()
			if err != nil {
				out = fmt.Append(out, err)
			}
			results <- errand + " " + id + ": " + string(out)
		}()
	}
	for range writers + readers {
		if got := <-results; !strings.HasSuffix(got, ": nil") {
			t.Error(got)
		}
	}
	if err := checkRecord(mustRead(t, name)); err != nil {
		t.Error(err)
	}
	wantOnly(t, dir, "state")
}

// writeOften replaces the file by records of its own, of many lengths.
func writeOften(name, id string) error {
	n, err := strconv.Atoi(id)
	if err != nil {
		return err
	}
	for i := range 8 {
		content := readContent(fmt.Sprintf("%c*%d", 'A'+n, 1+(n*7919+i*104729)%100000))
		if err := WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func readOften(name, _ string) error {
	for range 300 {
		if runtime.GOOS == "windows" {
			time.Sleep(time.Millisecond) // without a pause no writer gets in
		}
		data, err := os.ReadFile(name)
		if err != nil && runtime.GOOS == "windows" {
			continue // refused while the file is being replaced
		}
		if err != nil {
			return err
		}
		if err := checkRecord(string(data)); err != nil {
			return err
		}
	}
	return nil
}

// checkRecord knows a whole record by its one letter, and by its length, which
// is the letter's.
func checkRecord(s string) error {
	if s == "" {
		return errors.New("read an empty file")
	}
	if strings.Trim(s, s[:1]) != "" {
		return fmt.Errorf("read a mixture: %s", brief(s))
	}
	if s[0] == '0' && len(s) == 50000 {
		return nil
	}
	for i := range 8 {
		if len(s) == 1+((int(s[0])-'A')*7919+i*104729)%100000 {
			return nil
		}
	}
	return fmt.Errorf("read a part: %s", brief(s))
}

// wantWhole fails unless the file holds oldContent or newContent.
func wantWhole(t *testing.T, name string) {
	t.Helper()
	got := mustRead(t, name)
	if got != string(readContent(oldContent)) && got != string(readContent(newContent)) {
		t.Errorf("torn: %s", brief(got))
	}
}

// wantDeadTemps fails if dir holds anything but names and temporaries that
// nobody has locked, which it removes.
func wantDeadTemps(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, e := range others(t, dir, names...) {
		if !strings.HasPrefix(e, tempPrefix) || !strings.HasSuffix(e, tempSuffix) {
			t.Errorf("left behind: %s", e)
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e), os.O_RDWR, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := tryLock(f); errors.Is(err, errLocked) {
			t.Errorf("%s is locked although its writer is dead", e)
		}
		f.Close()
		os.Remove(filepath.Join(dir, e))
	}
}
