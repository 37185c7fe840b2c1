package safeio

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is tested here needs strace, which fails the n-th system call of a process, or kills it there.

// strace does an errand on a file, and returns what it said and the calls that it made.
func strace(t *testing.T, errand, name string, options ...string) (said string, calls []string) {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(path, append(append([]string{"-o", log}, options...), os.Args[0], "errand", errand, name)...)
	var refused strings.Builder
	cmd.Stderr = &refused
	out, err := cmd.Output()
	if err != nil && strings.Contains(refused.String(), "ptrace") {
		t.Skipf("strace may not trace: %s", refused.String())
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), strings.Split(strings.TrimSpace(string(data)), "\n")
}

// A call is one that an errand makes, and how many of its kind the process has made by then.
type call struct {
	verb, text string
	n          int
}

// callsOf are the calls that an errand makes on a file.
func callsOf(t *testing.T, errand, name string) (own []call) {
	t.Helper()
	said, calls := strace(t, errand, name)
	if !strings.Contains(said, "end new <nil>") {
		t.Fatalf("%s: %s", errand, said)
	}
	counts := make(map[string]int)
	begun := false
	for _, text := range calls {
		verb := strings.SplitN(text, "(", 2)[0]
		if counts[verb]++; begun && strings.HasPrefix(text, `write(1, "end`) {
			return own
		}
		if begun && fileCalls[verb] {
			own = append(own, call{verb, text, counts[verb]})
		}
		begun = begun || strings.HasPrefix(text, `write(1, "begin`)
	}
	t.Fatal("no end in the trace")
	return nil
}

// fileCalls are those that concern files, and not the runtime alone.
var fileCalls = map[string]bool{
	"openat": true, "newfstatat": true, "fstat": true, "readlinkat": true, "write": true, "pwrite64": true, "pread64": true, "read": true,
	"lseek": true, "fchown": true, "fchmod": true, "fsync": true, "renameat": true, "close": true, "unlinkat": true, "linkat": true,
	"flock": true, "ftruncate": true, "mkdirat": true,
}

func inject(c call, what string) string {
	return fmt.Sprintf("inject=%s:%s:when=%d", c.verb, what, c.n)
}

// TestFaults: whichever system call fails, the file has the old content or the new, whole, and the error says which; no
// temporary file is left.
func TestFaults(t *testing.T) {
	for _, errand := range []string{"WriteFile", "Create", "Replace", "Update", "NoSync"} {
		t.Run(errand, func(t *testing.T) {
			t.Parallel()
			_, name := put(t, oldContent)
			for _, c := range callsOf(t, errand, name) {
				for _, fault := range []string{"EIO", "ENOSPC"} {
					dir, name := put(t, oldContent)
					said, _ := strace(t, errand, name, "-e", inject(c, "error="+fault))
					want := oldContent
					if strings.Contains(said, "end new") {
						want = newContent
					}
					if !strings.Contains(said, "end ") {
						t.Fatalf("%s fails: %q", c.text, said)
					}
					if holds(t, name, want); t.Failed() {
						t.Fatalf("%s fails with %s: %s", c.text, fault, said)
					}
					for _, n := range list(t, dir) {
						if n != "state" && n != ".safeio-state.lock" && c.verb != "unlinkat" {
							t.Errorf("%s fails with %s: %s is left", c.text, fault, n)
						}
					}
				}
			}
		})
	}
}

// TestKilled: wherever the process is killed, the file has the old content or the new, whole, and the next one replaces
// it.
func TestKilled(t *testing.T) {
	for _, errand := range []string{"WriteFile", "Create", "Update", "Append"} {
		t.Run(errand, func(t *testing.T) {
			t.Parallel()
			old, after := oldContent, newContent
			if errand == "Append" {
				old, after = "a\n", "a\nrecord\n"
			}
			_, name := put(t, old)
			for _, c := range callsOf(t, errand, name) {
				_, name := put(t, old)
				if said, _ := strace(t, errand, name, "-e", inject(c, "signal=KILL")); strings.Contains(said, "end") {
					t.Fatalf("%s does not kill: %s", c.text, said)
				}
				if data, err := os.ReadFile(name); err != nil || string(data) != old && string(data) != after {
					t.Errorf("killed in %s: %v, %d bytes", c.text, err, len(data))
				}
				if err := count(name + "2"); err != nil {
					t.Error(err)
				}
				if err := WriteFile(name, []byte("next"), 0o600); err != nil {
					t.Error(err)
				}
				if h, err := TryLock(name); err != nil {
					t.Errorf("killed in %s: %v", c.text, err)
				} else {
					h.Unlock()
				}
			}
		})
	}
}

// inOrder checks that calls come in this order, and no second time the first of them.
func inOrder(t *testing.T, calls []call, want ...string) {
	t.Helper()
	next := 0
	for _, c := range calls {
		if next < len(want) && strings.HasPrefix(c.text, strings.Fields(want[next])[0]) && strings.Contains(c.text, strings.Join(strings.Fields(want[next])[1:], " ")) {
			next++
		}
	}
	if next < len(want) {
		t.Errorf("%s does not come in its turn:", want[next])
		for _, c := range calls {
			t.Log(c.text)
		}
	}
}

// TestOrder: the temporary file is made exclusively in the directory of the target, written and synced before it gets
// the name, and the directory is synced after that.
func TestOrder(t *testing.T) {
	for _, errand := range []string{"WriteFile", "Create", "Replace"} {
		dir, name := put(t, oldContent)
		inOrder(t, callsOf(t, errand, name), "openat "+dir+"/.state.", "write new", "fsync", "renameat "+dir+"/.state.", `openat `+dir+`/.", O_RDONLY`, "fsync")
		inOrder(t, callsOf(t, errand, name), "openat O_CREAT|O_EXCL|O_CLOEXEC, 0600")
	}
	_, name := put(t, oldContent)
	for _, c := range callsOf(t, "NoSync", name) {
		if c.verb == "fsync" {
			t.Errorf("without syncs: %s", c.text)
		}
	}
	dir := t.TempDir()
	inOrder(t, callsOf(t, "Append", filepath.Join(dir, "log")), "flock LOCK_EX", "openat /log", `openat `+dir+`/.", O_RDONLY`, "fsync", "write record", "fsync", "flock LOCK_UN")
}

// find is the call of an errand that has a text.
func find(t *testing.T, errand, name, text string) call {
	t.Helper()
	for _, c := range callsOf(t, errand, name) {
		if strings.Contains(c.text, text) {
			return c
		}
	}
	t.Fatalf("%s has no call %s", errand, text)
	return call{}
}

// TestAccess: the mode is kept and, for root, the owner; a group that cannot be kept gets no access, and nobody else
// does; a file that may not be written is not replaced.
func TestAccess(t *testing.T) {
	_, name := put(t, oldContent)
	if os.Geteuid() == 0 {
		if err := os.Chown(name, 12, 34); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(name, 0o647)
	before, _ := os.Stat(name)
	if err := WriteFile(name, []byte(newContent), 0o600); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(name)
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if was.Mode != is.Mode || was.Uid != is.Uid || was.Gid != is.Gid || was.Ino == is.Ino {
		t.Errorf("mode %v, %d:%d, was %v, %d:%d", after.Mode(), is.Uid, is.Gid, before.Mode(), was.Uid, was.Gid)
	}
	strace(t, "WriteFile", name, "-e", "inject=fchown:error=EPERM")
	holds(t, name, newContent)
	if info, _ := os.Stat(name); info.Mode() != 0o644 {
		t.Errorf("mode %v of a file of another group", info.Mode())
	}
	dir, name := put(t, oldContent)
	c := find(t, "WriteFile", name, name+`", O_WRONLY`)
	_, name = put(t, oldContent)
	said, _ := strace(t, "WriteFile", name, "-e", inject(c, "error=EACCES"))
	if !strings.Contains(said, "permission denied") {
		t.Errorf("it may not be written: %s", said)
	}
	holds(t, name, oldContent)
	if err := os.Symlink("state", filepath.Join(dir, "link")); err != nil || WriteFile(filepath.Join(dir, "link"), []byte("by link"), 0) != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "state"), "by link")
}

// TestInPlace: where the target cannot be replaced, or no file can be made beside it, it is written in place; if it
// cannot grow, it keeps the old content.
func TestInPlace(t *testing.T) {
	for _, errand := range []string{"WriteFile", "Create", "Replace"} {
		for _, where := range []struct{ text, fault string }{
			{"renameat(", "EBUSY"}, {"/.state.", "EACCES"}, {"/.state.", "EROFS"}, {"renameat(", "EPERM"},
		} {
			for _, old := range []string{oldContent, "short", "", strings.Repeat("long ", 9000)} {
				dir, name := put(t, old)
				c := find(t, errand, name, where.text)
				os.WriteFile(name, []byte(old), 0o640)
				before, _ := os.Stat(name)
				said, calls := strace(t, errand, name, "-e", inject(c, "error="+where.fault))
				after, _ := os.Stat(name)
				if holds(t, name, newContent); !os.SameFile(before, after) || len(list(t, dir)) != 1 || !strings.Contains(said, "<nil>") {
					t.Fatalf("%s, %s of %s: %s\n%s", errand, where.fault, c.text, said, strings.Join(calls, "\n"))
				}
				if old != "short" {
					continue
				}
				os.WriteFile(name, []byte(old), 0o640)
				said, _ = strace(t, errand, name, "-e", inject(c, "error="+where.fault), "-e", "inject=pwrite64:error=ENOSPC:when=1")
				if holds(t, name, old); !strings.Contains(said, "no space left") {
					t.Errorf("on a full disk: %s", said)
				}
			}
		}
	}
}

// TestMounted: a file that is a mount point is written in place.
func TestMounted(t *testing.T) {
	dir, name := put(t, oldContent)
	source := filepath.Join(dir, "source")
	if err := os.WriteFile(source, []byte(oldContent), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(source, name, "", syscall.MS_BIND, ""); err != nil {
		t.Skip(err)
	}
	defer syscall.Unmount(name, syscall.MNT_DETACH)
	if err := WriteFile(name, []byte("new"), 0o600); err != nil {
		t.Error(err)
	}
	holds(t, source, "new")
	if names := list(t, dir); len(names) != 2 {
		t.Errorf("there are %q", names)
	}
}

// TestSpecial: a pipe is written, and stays.
func TestSpecial(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		data, err := os.ReadFile(name)
		got <- fmt.Sprint(string(data), err)
	}()
	if err := WriteFile(name, []byte("new"), 0o600); err != nil || <-got != "new<nil>" {
		t.Error(err)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Error("it is no pipe any more")
	}
}

// hold has another process take a lock. It is released when the process ends.
func hold(t *testing.T, name string) (end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "errand", "hold", name)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "held"; {
	}
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
		stdin.Close()
	}
}

// TestProcesses: a lock excludes other processes and ends with its holder, and no update of several is lost.
func TestProcesses(t *testing.T) {
	_, name := put(t, "0")
	end := hold(t, name)
	if _, err := TryLock(name); !errors.Is(err, ErrLocked) {
		t.Errorf("another process has the lock: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, end)
	h, err := Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	h.Unlock()
	var all []*exec.Cmd
	for n := 0; n < 4; n++ {
		cmd := exec.Command(os.Args[0], "errand", "count", name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		cmd.Wait()
	}
	holds(t, name, "100")
}

// TestLockItself: where no lock file can be made, the file itself is locked, until another makes one. Both are for those
// who may write the file.
func TestLockItself(t *testing.T) {
	dir, name := put(t, oldContent)
	c := find(t, "Update", name, "/..safeio-state.lock.")
	dir, name = put(t, oldContent)
	said, calls := strace(t, "Update", name, "-e", inject(c, "error=EACCES"))
	if len(list(t, dir)) != 1 || !strings.Contains(said, "<nil>") {
		t.Errorf("%s, and there are %q\n%s", said, list(t, dir), strings.Join(calls, "\n"))
	}
	holds(t, name, newContent)
	os.Chmod(name, 0o664)
	if h, err := Lock(name); err != nil || h.Unlock() != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, ".safeio-state.lock")); err != nil || info.Mode() != 0o660 {
		t.Errorf("%v, mode %v of the lock file", err, info.Mode())
	}
}

// TestReplacedLock: one that has opened a lock file which is removed before it is locked waits for its successor.
func TestReplacedLock(t *testing.T) {
	dir, name := put(t, oldContent)
	find(t, "Update", name, "/..safeio-state.lock.") // and there is a lock file
	os.WriteFile(name, []byte(oldContent), 0o640)
	said := make(chan string)
	go func() {
		out, _ := strace(t, "Update", name, "-e", "inject=flock:delay_enter=400000:when=1")
		said <- out
	}()
	time.Sleep(200 * time.Millisecond)
	os.Remove(filepath.Join(dir, ".safeio-state.lock"))
	h, err := Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(700 * time.Millisecond)
	holds(t, name, oldContent)
	h.Unlock()
	if out := <-said; !strings.Contains(out, "<nil>") {
		t.Error(out)
	}
	holds(t, name, newContent)
}

// TestAppendFails: what a full disk let through of a record is cut off.
func TestAppendFails(t *testing.T) {
	_, name := put(t, "a\n")
	out, err := exec.Command(os.Args[0], "errand", "short", name).Output()
	if holds(t, name, "a\n"); err != nil || !strings.Contains(string(out), "end old") {
		t.Errorf("%v, %s", err, out)
	}
}

// TestGrowthFails: a file that cannot grow in place has the old content again.
func TestGrowthFails(t *testing.T) {
	_, name := put(t, "old")
	out, err := exec.Command(os.Args[0], "errand", "full", name).Output()
	if holds(t, name, "old"); err != nil || !strings.Contains(string(out), "end old") {
		t.Errorf("%v, %s", err, out)
	}
}

// short and full write where no file may have more than five bytes.
func init() {
	errands["full"] = func(name string) error {
		f, err := Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		f.WriteString(newContent)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 5, Max: 5}); err != nil {
			return err
		}
		return f.rewrite()
	}
	errands["short"] = func(name string) error {
		h, err := Lock(name) // whose file is there, then
		if err != nil || h.Unlock() != nil {
			return err
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 5, Max: 5}); err != nil {
			return err
		}
		return Append(name, []byte("record"), 0o640)
	}
}
