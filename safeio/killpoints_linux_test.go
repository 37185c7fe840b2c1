package safeio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func init() {
	errands["killed"] = func(args []string) error {
		os.Stdout.WriteString("begin\n")
		return killPoints[args[0]].do(args[1])
	}
}

// A killPoint is an operation on a file, and what must be true of the file after
// a kill anywhere in it.
type killPoint struct {
	before map[string]string // other than the file: what is in its directory
	state  string            // the file, or none
	do     func(name string) error
	after  []string // what the file may hold, or none
	next   func(name, was string) error
	least  int // system calls
}

var killPoints map[string]killPoint

func init() { // for they refer to functions that refer to them
	dead := tempPrefix + "dead" + tempSuffix
	lockOnce := func(name string) error {
		h, err := Lock(name)
		if err != nil {
			return err
		}
		return h.Unlock()
	}
	update := func(name string) error { return Update(name, 0o644, appending(content1)) }
	add := func(name string) error { return Append(name, []byte("new"), 0o644) }
	sweep := func(name string) error {
		_, err := Sweep(filepath.Dir(name))
		return err
	}
	lockFile := map[string]string{".safeio-state.lock": ""}
	killPoints = map[string]killPoint{
		"Lock":                      {lockFile, content0, lockOnce, []string{content0}, nextUpdate, 6},
		"Lock, no lock file":        {nil, content0, lockOnce, []string{content0}, nextUpdate, 8},
		"Update":                    {lockFile, content0, update, []string{content0, content0 + content1}, nextUpdate, 18},
		"Update, new":               {nil, none, update, []string{none, content1}, nextUpdate, 18},
		"Append, new":               {nil, none, add, []string{none, "", "new\n"}, nextAppend, 12},
		"Append, torn":              {lockFile, "old\nto", add, []string{"old\nto", "old\nto\x18\n", "old\nto\x18\nnew\n"}, nextAppend, 14},
		"Remove":                    {lockFile, content0, Remove, []string{none, content0}, nextRemove, 12},
		"Remove, lock file is left": {lockFile, none, removeLeft, []string{none}, nextRemove, 8},
		"Sweep": {
			map[string]string{dead: "x", dead + "2" + tempSuffix: "y"},
			content0,
			sweep,
			[]string{content0},
			nextUpdate,
			12,
		},
	}
}

func removeLeft(name string) error {
	if err := Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removed nothing: %v", err)
	}
	return nil
}

func nextUpdate(name, was string) error {
	if err := Update(name, 0o644, appending("+")); err != nil {
		return err
	}
	return leaves(name, plus(was, "+"))
}

func nextAppend(name, was string) error {
	before, err := findRecords(name)
	if err == nil {
		err = Append(name, []byte("next"), 0o644)
	}
	after, err2 := findRecords(name)
	if want := append(before, foundRecord{"next", false}); !slices.Equal(after, want) {
		err = errors.Join(err, fmt.Errorf("records %v, want %v", after, want))
	}
	return errors.Join(err, err2)
}

func nextRemove(name, was string) error {
	if err := Remove(name); (err != nil) != (was == none) {
		return err
	}
	return nextUpdate(name, none)
}

func (k killPoint) prepare(t *testing.T) (name string) {
	t.Helper()
	dir := t.TempDir()
	name = filepath.Join(dir, "state")
	for other, content := range k.before {
		mustWrite(t, filepath.Join(dir, other), content, 0o644)
	}
	if k.state != none {
		mustWrite(t, name, k.state, 0o644)
	}
	return name
}

// ownCalls counts the system calls of an operation, and those before it, which are
// the runtime's.
func (k killPoint) ownCalls(t *testing.T, what string) (own, before map[string]int) {
	t.Helper()
	report, calls := strace(t, nil, "killed", what, k.prepare(t))
	if !strings.HasSuffix(report, "nil") {
		t.Fatalf("reported %q", report)
	}
	own, before = map[string]int{}, map[string]int{}
	to := before
	for _, call := range calls {
		verb, rest, _ := strings.Cut(call, "(")
		switch {
		case strings.HasPrefix(call, `write(1, "begin`):
			before["write"]++
			to = own
		case strings.HasPrefix(rest, `1, "nil`):
			return own, before
		case !strings.HasPrefix(call, "---") && !isRuntimes(verb):
			to[verb]++
		}
	}
	t.Fatal("no report in the trace")
	return nil, nil
}

// isRuntimes knows the calls that the Go runtime makes when it likes.
func isRuntimes(verb string) bool {
	return slices.Contains(strings.Fields("futex madvise nanosleep mmap munmap mprotect clone clone3 rt_sigprocmask rt_sigaction "+
		"rt_sigreturn sched_yield sched_getaffinity getpid gettid tgkill epoll_create1 epoll_ctl epoll_pwait eventfd2 "+
		"pipe2 sigaltstack prctl timer_create timer_settime"), verb)
}

// TestKilledAtEachOwnSystemCall kills a process as it enters each system call that
// an operation really makes.
func TestKilledAtEachOwnSystemCall(t *testing.T) {
	for what, k := range killPoints {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			own, before := k.ownCalls(t, what)
			killed := 0
			for call := range own {
				for n := before[call] + 1; k.killAt(t, what, call, n); n++ {
					killed++
				}
			}
			t.Logf("killed at %d system calls: %v", killed, own)
			if killed < k.least {
				t.Errorf("killed at %d system calls, want %d", killed, k.least)
			}
		})
	}
}

// killAt kills at the n-th such call, if there is one.
func (k killPoint) killAt(t *testing.T, what, call string, n int) bool {
	t.Helper()
	name := k.prepare(t)
	defer os.RemoveAll(filepath.Dir(name))
	inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
	report, _ := strace(t, []string{"-e", "trace=" + call, "-e", inject}, "killed", what, name)
	if strings.HasSuffix(report, "nil") {
		return false
	}
	if report != "" && report != "begin\n" {
		t.Fatalf("%s: reported %q", inject, report)
	}
	h, err := TryLock(name)
	if err == nil {
		err = h.Unlock()
	}
	if err != nil {
		t.Errorf("%s: the lock is not free: %v", inject, err)
	}
	was := none
	if data, err := os.ReadFile(name); err == nil {
		was = string(data)
	}
	if !slices.Contains(k.after, was) {
		t.Errorf("%s: the file holds %s", inject, brief(was))
	}
	if err := k.next(name, was); err != nil {
		t.Errorf("%s: %v", inject, err)
	}
	if _, err := Sweep(filepath.Dir(name)); err != nil {
		t.Error(err)
	}
	wantOnly(t, filepath.Dir(name), "state", ".safeio-state.lock")
	return true
}

// TestKilledInLine kills those that wait for a lock: the one that is next, and the
// one behind it. The last one has the lock as soon as its holder lets go.
func TestKilledInLine(t *testing.T) {
	name := lockName(t)
	h := mustLock(t, name)
	first := startHolder(t, "hold", name)
	wantKernelWaits(t, name, "FLOCK", 1)
	second := startHolder(t, "hold", name)
	wantKernelWaits(t, name, "OFDLCK", 1)
	third := startHolder(t, "hold", name)
	wantKernelWaits(t, name, "OFDLCK", 2)
	second.cmd.Process.Kill()
	wantKernelWaits(t, name, "OFDLCK", 1)
	first.cmd.Process.Kill()
	wantKernelWaits(t, name, "OFDLCK", 0)
	wantKernelWaits(t, name, "FLOCK", 1)
	mustUnlock(t, h, nil)
	third.says(t, "held")
	third.letGo(t)
	mustUnlock(t, mustLock(t, name), nil)
	wantIdle(t)
}
