package safeio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mount skips where it is not permitted.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("mounting needs CAP_SYS_ADMIN: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(target, 0); err != nil {
			t.Error(err)
		}
	})
}

func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mount(t, "none", dir, "tmpfs", 0, "size=64k")
	return dir
}

func TestFullDisk(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			dir := smallDisk(t)
			name := filepath.Join(dir, "state")
			old := strings.Repeat("o", 20<<10)
			mustWrite(t, name, old, 0o644)
			err := w.write(Options{}, name, strings.Repeat("n", 60<<10), 0o644)
			var pe *fs.PathError
			if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &pe) || pe.Path != name {
				t.Errorf("error %v", err)
			}
			wantContent(t, name, old)
			wantOnly(t, dir, "state")
		})
	}
}

// mountedFile is a file in dir that cannot be replaced (EBUSY): another one,
// below source, is mounted over it.
func mountedFile(t *testing.T, source, content string) (dir, name string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "state")
	mustWrite(t, name, "hidden by the mount", 0o644)
	source = filepath.Join(source, "source")
	mustWrite(t, source, content, 0o640)
	mount(t, source, name, "", syscall.MS_BIND, "")
	return dir, name
}

func TestMountedFileIsRewritten(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			dir, name := mountedFile(t, t.TempDir(), "old")
			before := inode(t, name).Ino
			err := w.write(Options{Strict: true}, name, "strict", 0o644)
			if !errors.Is(err, ErrNotAtomic) || !errors.Is(err, syscall.EBUSY) {
				t.Errorf("Strict says %v", err)
			}
			wantContent(t, name, "old")
			for _, content := range []string{"longer than before", "short", "", "again"} {
				if err := w.write(Options{}, name, content, 0o644); err != nil {
					t.Fatal(err)
				}
				wantContent(t, name, content)
			}
			if inode(t, name).Ino != before || modeOf(t, name) != 0o640 {
				t.Error("not the same file any more")
			}
			wantOnly(t, dir, "state")
		})
	}
}

// TestReadOnlyMount has a writable file mounted into a read-only file system,
// as containers do.
func TestReadOnlyMount(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			source := filepath.Join(t.TempDir(), "source")
			mustWrite(t, source, "old", 0o644)
			dir := smallDisk(t)
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "hidden by the mount", 0o644)
			mount(t, source, name, "", syscall.MS_BIND, "")
			if err := syscall.Mount("none", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Skipf("cannot remount: %v", err)
			}
			if err := w.write(Options{}, name, "new", 0o644); err != nil {
				t.Fatal(err)
			}
			wantContent(t, source, "new")
		})
	}
}

func TestFullDiskInPlace(t *testing.T) {
	old := strings.Repeat("o", 40<<10)
	_, name := mountedFile(t, smallDisk(t), old)
	if err := WriteFile(name, bytes.Repeat([]byte("n"), 80<<10), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	wantContent(t, name, old)
}

func TestChmodInPlace(t *testing.T) {
	_, name := mountedFile(t, t.TempDir(), "old")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Chmod(0o604); err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, name); got != 0o640 {
		t.Errorf("before Commit: mode %v", got)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, name); got != 0o604 {
		t.Errorf("mode %v", got)
	}
}

// TestFailedInPlace lets each step of a rewriting fail before it has changed
// anything, or after everything is changed.
func TestFailedInPlace(t *testing.T) {
	_, name := mountedFile(t, t.TempDir(), "old")
	failure := errors.New("no such luck")
	for fail, want := range map[string]string{"overwrite": "old", "sync": "newer"} {
		mustWrite(t, name, "old", 0o640)
		renamed := false
		o := Options{hook: func(step string) error {
			renamed = renamed || step == "rename"
			if renamed && step == fail {
				return failure
			}
			return nil
		}}
		err := o.WriteFile(name, []byte("newer"), 0o644)
		if !errors.Is(err, failure) || errors.Is(err, ErrPublished) != (fail == "sync") {
			t.Errorf("%s: %v", fail, err)
		}
		wantContent(t, name, want)
	}
}

// TestLockInPlace holds the lock of a file that is to be rewritten: first for a while,
// then for ever.
func TestLockInPlace(t *testing.T) {
	_, name := mountedFile(t, t.TempDir(), "old")
	holder, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if err := tryLock(holder); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- WriteFile(name, []byte("first"), 0o644) }()
	select {
	case err := <-done:
		t.Fatalf("did not wait for the lock: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	wantContent(t, name, "old")
	syscall.Flock(int(holder.Fd()), syscall.LOCK_UN)
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantContent(t, name, "first")

	if err := tryLock(holder); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("second"), 0o644); err != nil {
		t.Error(err)
	}
	wantContent(t, name, "second")
}

// TestForbiddenLink has a link that the kernel does not let the writer follow.
func TestForbiddenLink(t *testing.T) {
	needRoot(t, "becoming another user")
	if on, _ := os.ReadFile("/proc/sys/fs/protected_symlinks"); strings.TrimSpace(string(on)) != "1" {
		t.Skip("fs.protected_symlinks is off")
	}
	dir, elsewhere := openDir(t), openDir(t)
	os.Chmod(dir, 0o777|fs.ModeSticky)
	for _, target := range []string{"existing", "dangling"} {
		path, link := filepath.Join(elsewhere, target), filepath.Join(dir, target)
		if target == "existing" {
			mustWrite(t, path, "old", 0o666)
		}
		symlink(t, path, link)
		if err := os.Lchown(link, 1234, 1234); err != nil {
			t.Fatal(err)
		}
		for _, errand := range []string{"oswrite", "write"} {
			if got := reported(t, asNobody(t, errand, link, "new")); !strings.HasPrefix(got, "[permission]") {
				t.Errorf("%s %s: %s", errand, target, got)
			}
		}
	}
	wantContent(t, filepath.Join(elsewhere, "existing"), "old")
	wantOnly(t, elsewhere, "existing")
}

// accessACL is an ACL that gives one more user, but not the group, access.
func accessACL(uid uint32) []byte {
	acl := binary.LittleEndian.AppendUint32(nil, 2) // version
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{
		{0x01, 6, ^uint32(0)}, // user::rw-
		{0x02, 6, uid},        // user:uid:rw-
		{0x04, 0, ^uint32(0)}, // group::---
		{0x10, 6, ^uint32(0)}, // mask::rw-
		{0x20, 0, ^uint32(0)}, // other::---
	} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.perm)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	return acl
}

func TestACLIsKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o600)
	want := accessACL(1234)
	if err := syscall.Setxattr(name, aclName, want, 0); err != nil {
		t.Skipf("no ACLs here: %v", err)
	}
	if err := WriteFile(name, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 100)
	n, err := syscall.Getxattr(name, aclName, got)
	if err != nil || !bytes.Equal(got[:n], want) {
		t.Errorf("ACL %x, %v, want %x", got[:max(n, 0)], err, want)
	}
}

func TestDefaultACLIsNotAdded(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o640)
	if err := syscall.Setxattr(dir, "system.posix_acl_default", accessACL(1234), 0); err != nil {
		t.Skipf("no ACLs here: %v", err)
	}
	if err := WriteFile(name, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := syscall.Getxattr(name, aclName, nil); !errors.Is(err, syscall.ENODATA) {
		t.Errorf("the file got an ACL of %d bytes: %v", n, err)
	}
	if got := modeOf(t, name); got != 0o640 {
		t.Errorf("mode %v", got)
	}
}

// TestNotInherited has a child process look for descriptors of the writer.
func TestNotInherited(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	if err != nil {
		t.Skip(err)
	}
	if strings.Contains(string(out), tempPrefix) {
		t.Errorf("a child process has the temporary open:\n%s", out)
	}
}

// strace runs an errand under strace and returns its report, and the system
// calls of its main thread: without -f only that is traced, and it is the one that
// works.
func strace(t *testing.T, options []string, errand string, args ...string) (report string, calls []string) {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := child(t, errand, args...)
	cmd.Path = path
	cmd.Args = append(append([]string{path, "-o", log}, options...), cmd.Args...)
	cmd.Stderr = nil
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil && bytes.Contains(exit.Stderr, []byte("ptrace")) {
		t.Skipf("strace may not trace: %s", exit.Stderr)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), strings.Split(strings.TrimSpace(string(data)), "\n")
}

// forTarget are the calls that WriteFile made: from the first that names the
// target to the report.
func forTarget(t *testing.T, name string, calls []string) []string {
	t.Helper()
	var of []string
	for _, call := range calls {
		if of == nil && !strings.Contains(call, name+`"`) || strings.HasPrefix(call, "exec") {
			continue
		}
		if strings.HasPrefix(call, "write(1") {
			return of
		}
		of = append(of, call)
	}
	t.Fatalf("no report in the trace:\n%s", strings.Join(calls, "\n"))
	return nil
}

// fileCalls are the system calls with which a file is written.
const fileCalls = "newfstatat,lstat,open,openat,fcntl,flock,fstat,write,fsync,fdatasync," +
	"rename,renameat,renameat2,close,fchmod,fchmodat,fchown,unlink,unlinkat,ftruncate,fgetxattr,fsetxattr,fremovexattr,epoll_ctl"

// TestOrder looks at what the kernel is asked to do, and how much of it.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	report, calls := strace(t, []string{"-y"}, "write", name, "new")
	if report != "nil" {
		t.Fatal(report)
	}
	calls = forTarget(t, name, calls)
	var did []string
	count, old := 0, ""
	for _, call := range calls {
		verb, rest, _ := strings.Cut(call, "(")
		if strings.HasPrefix(call, "---") || strings.Contains("futex madvise nanosleep mmap munmap rt_sigprocmask "+
			"rt_sigreturn sched_yield getpid tgkill", verb) {
			continue // signals and calls of the Go runtime
		}
		count++
		switch {
		case verb == "fsync" && strings.Contains(rest, tempPrefix):
			verb = "fsync temp"
		case verb == "fsync" && strings.Contains(rest, "<"+dir+">"):
			verb = "fsync dir"
		case strings.HasPrefix(verb, "open") && strings.Contains(rest, "O_PATH"):
			_, fd, _ := strings.Cut(rest, ") = ")
			old, verb = "close("+fd[:strings.IndexByte(fd, '<')], "keep old"
		case old != "" && strings.HasPrefix(call, old+"<"):
			verb = "let go of old"
		case strings.HasPrefix(verb, "rename"):
			verb = "rename"
		case verb != "write":
			continue
		}
		did = append(did, verb)
	}
	want := "write, fsync temp, keep old, rename, fsync dir, let go of old"
	if got := strings.Join(did, ", "); got != want {
		t.Errorf("order: %s\nwant:  %s\n%s", got, want, strings.Join(calls, "\n"))
	}
	if count > 17 {
		t.Errorf("%d system calls, want at most 17:\n%s", count, strings.Join(calls, "\n"))
	}
}

// TestInjected lets the kernel itself fail.
func TestInjected(t *testing.T) {
	for _, test := range []struct {
		inject  string
		report  string // beginning
		content string
		fsyncs  int
	}{
		{"fsync:error=EIO:when=1", "[] sync", "old", 1},
		{"fsync:error=EIO:when=2", "[published] sync", "new", 2},
		{"fsync:error=EINVAL:when=1", "[] sync", "old", 2},
		{"fsync:error=EINVAL:when=2", "nil", "new", 2},
		{"fsync:error=EINVAL", "nil", "new", 3},
		{"fsync:error=EOPNOTSUPP", "nil", "new", 3},
		{"fsync:error=ENOSYS", "nil", "new", 3},
		{"fsync:error=EINTR:when=1", "nil", "new", 3},
		{"fsync:error=EINTR:when=2", "nil", "new", 3},
		{"rename,renameat,renameat2:error=EXDEV", "nil", "new", 2},
		{"rename,renameat,renameat2:error=EIO", "[] rename", "old", 1},
		{"rename,renameat,renameat2:error=EINTR:when=1", "nil", "new", 2},
		{"flock:error=ENOLCK", "nil", "new", 2},
		{"flock:error=EAGAIN:when=1", "nil", "new", 2},
		{"fchmod:error=EPERM", "nil", "new", 1},
	} {
		t.Run(test.inject, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "old", 0o666) // so that the umask makes a chmod necessary
			report, calls := strace(t, []string{"-e", "trace=" + fileCalls, "-e", "inject=" + test.inject}, "write", name, "new")
			if !strings.HasPrefix(report, test.report) {
				t.Errorf("reported %s, want %s", report, test.report)
			}
			wantContent(t, name, test.content)
			wantOnly(t, dir, "state")
			calls = forTarget(t, name, calls)
			fsyncs := strings.Count(strings.Join(calls, "\n"), "fsync(")
			if fsyncs != test.fsyncs {
				t.Errorf("%d fsyncs, want %d:\n%s", fsyncs, test.fsyncs, strings.Join(calls, "\n"))
			}
		})
	}
}

// TestNoSync is on a file system that cannot sync. Appending syncs the file and
// the directory of a new one; rewriting syncs a file that a rename could not replace.
func TestNoSync(t *testing.T) {
	for _, test := range []struct {
		errand string
		inject []string
	}{
		{"sync", nil},
		{"append", nil},
		{"write", []string{"-e", "inject=rename,renameat,renameat2:error=EXDEV"}},
	} {
		t.Run(test.errand, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			if test.errand == "write" {
				mustWrite(t, name, "old", 0o644)
			}
			options := append([]string{"-e", "trace=" + fileCalls, "-e", "inject=fsync:error=EINVAL"}, test.inject...)
			report, calls := strace(t, options, test.errand, name, "new")
			if report != "nil" {
				t.Errorf("reported %s", report)
			}
			if got := strings.TrimSuffix(mustRead(t, name), "\n"); got != "new" {
				t.Errorf("content %q", got)
			}
			if !strings.Contains(strings.Join(calls, "\n"), "EINVAL (Invalid argument) (INJECTED)") {
				t.Errorf("no sync failed:\n%s", strings.Join(calls, "\n"))
			}
		})
	}
}

// TestKilledAtEverySystemCall kills a writer as it enters its first system
// call for the file, its second, and so on until it gets through.
func TestKilledAtEverySystemCall(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	killed := 0
	for _, call := range []string{"openat", "flock", "fstat", "fchmod", "fgetxattr", "fremovexattr", "write", "fsync", "renameat", "close"} {
		for n := 1; ; n++ {
			// A file with this mode also costs a chmod and a look at its ACL.
			mustWrite(t, name, string(readContent(oldContent)), 0o640)
			inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
			report, _ := strace(t, []string{"-e", "trace=" + call, "-e", inject}, "write", name, newContent)
			wantWhole(t, name)
			wantDeadTemps(t, dir, "state")
			if report == "nil" {
				break
			}
			if report != "" {
				t.Fatalf("%s: reported %s", inject, report)
			}
			killed++
		}
	}
	if killed < 12 {
		t.Errorf("killed at %d system calls only", killed)
	}
}
