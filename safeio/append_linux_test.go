package safeio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAppendOnFullDisk(t *testing.T) {
	dir := smallDisk(t)
	name := filepath.Join(dir, "log")
	mustAppend(t, name, "old")
	for range 2 {
		if err := Append(name, readContent("x*100000"), 0o644); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrPublished) {
			t.Errorf("error %v", err)
		}
		wantContent(t, name, "old\n")
	}
	mustAppend(t, name, "new")
	wantContent(t, name, "old\nnew\n")
}

// TestTooLongForTheDisk has only the record fail that does not fit, not those
// before and behind it in its batch.
func TestTooLongForTheDisk(t *testing.T) {
	name := filepath.Join(smallDisk(t), "log")
	huge := string(readContent("x*100000"))
	h := holdAppend(t, name, "first")
	h.add(t, huge, syscall.ENOSPC, Options{})
	h.add(t, "second", nil, Options{})
	h.add(t, huge, syscall.ENOSPC, Options{})
	h.add(t, "third", nil, Options{})
	h.finish()
	wantContent(t, name, "first\nsecond\nthird\n")
	if got := strings.Join(h.steps, " "); got != "lock open opendir syncdir write cut write cut write sync close" {
		t.Errorf("steps: %s", got)
	}
}

// TestUncuttable has the cut fail as well: the next append heals.
func TestUncuttable(t *testing.T) {
	dir := smallDisk(t)
	name, ballast := filepath.Join(dir, "log"), filepath.Join(dir, "ballast")
	mustWrite(t, ballast, string(readContent("b*30000")), 0o644)
	mustAppend(t, name, "old")
	o := Options{hook: func(step string) error {
		if step == "cut" {
			return syscall.EIO
		}
		return nil
	}}
	if err := o.Append(name, readContent("x*100000"), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	torn := recordsOf(t, name)
	if len(torn) != 2 || !strings.HasPrefix(torn[1], "torn 2 4 xxx") {
		t.Fatalf("records %.100q", torn)
	}
	// The page that the piece ends with is full, and so is the disk.
	if err := Append(name, []byte("new"), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	wantRecords(t, name, torn...)
	if err := Remove(ballast); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, name, "new")
	wantRecords(t, name, append(torn, "new")...)
}

// TestAppendOrder looks at what the kernel is asked to do.
func TestAppendOrder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	order := func(record string) string {
		report, calls := strace(t, []string{"-y"}, "append", name, record)
		if report != "nil" {
			t.Fatal(report)
		}
		var did []string
		for _, call := range forTarget(t, name, calls) {
			verb, rest, _ := strings.Cut(call, "(")
			switch {
			case verb == "flock" && strings.Contains(rest, "LOCK_EX"), verb == "write", verb == "fsync":
				_, file, _ := strings.Cut(rest, "<")
				file, _, _ = strings.Cut(file, ">")
				did = append(did, verb+" "+strings.TrimPrefix(strings.TrimPrefix(file, dir), "/"))
			}
		}
		return strings.Join(did, ", ")
	}
	if got := order("x*5000000"); got != "flock .safeio-log.lock, fsync , write log, fsync log" {
		t.Errorf("a new file: %s", got)
	}
	if got := order("x*5000000"); got != "flock .safeio-log.lock, write log, fsync log" {
		t.Errorf("an existing file: %s", got)
	}
}

// TestAppendInjected lets the kernel itself fail.
func TestAppendInjected(t *testing.T) {
	for _, test := range []struct {
		inject, report string
		published      bool
	}{
		{"fsync:error=EIO:when=1", "[published] sync", true},
		{"fsync:error=EINTR:when=1", "nil", true},
		{"write:error=EIO:when=1", "[] write", false},
		{"write:error=ENOSPC:when=1", "[] write", false},
		{"write:error=EDQUOT:when=1", "[] write", false},
		{"write:error=EROFS:when=1", "[] write", false},
		{"write:error=EINTR:when=1", "nil", true},
		{"pread64:error=EIO", "[] read", false},
	} {
		t.Run(test.inject, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "log")
			mustAppend(t, name, "old")
			call, _, _ := strings.Cut(test.inject, ":")
			report, _ := strace(t, []string{"-P", name, "-e", "trace=" + call, "-e", "inject=" + test.inject}, "append", name, "new")
			if !strings.HasPrefix(report, test.report) {
				t.Errorf("reported %s, want %s", report, test.report)
			}
			want := []string{"old"}
			if test.published {
				want = append(want, "new")
			}
			wantRecords(t, name, want...)
			mustAppend(t, name, "next")
			wantRecords(t, name, append(want, "next")...)
		})
	}
}

// TestAppendKilledAtEverySystemCall kills a writer as it enters its first system
// call for the log, its second, and so on until it gets through.
func TestAppendKilledAtEverySystemCall(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	killed := 0
	for _, call := range []string{"openat", "flock", "fstat", "pread64", "write", "fsync", "close"} {
		for n := 1; ; n++ {
			mustWrite(t, name, "old\nto", 0o644)
			inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
			report, _ := strace(t, []string{"-P", name, "-P", lockPath(name), "-e", "trace=" + call, "-e", inject}, "append", name, "new")
			records := recordsOf(t, name)
			if s := strings.Join(records, ","); s != "old,torn 2 4 to,new" && (report == "nil" || s != "old,torn 2 4 to") {
				t.Errorf("%s: records %q", inject, records)
			}
			mustAppend(t, name, "next")
			wantRecords(t, name, append(records, "next")...)
			if report == "nil" {
				break
			}
			if report != "" {
				t.Fatalf("%s: reported %s", inject, report)
			}
			killed++
		}
	}
	if killed < 8 {
		t.Errorf("killed at %d system calls only", killed)
	}
}

// TestForeignLineIsNotCut has a program that knows no lock append a line just
// before a write that fails.
func TestForeignLineIsNotCut(t *testing.T) {
	name := filepath.Join(smallDisk(t), "log")
	mustAppend(t, name, "old")
	o := Options{hook: func(step string) error {
		if step == "write" {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("foreign\n")
			return err
		}
		return nil
	}}
	if err := o.Append(name, readContent("x*100000"), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if got := recordsOf(t, name); len(got) != 3 || got[1] != "foreign" || !strings.HasPrefix(got[2], "torn 3 ") {
		t.Errorf("records %.100q", got)
	}
}

// TestRemoveOrder looks at what the kernel is asked to do: the lock file goes
// while it is locked, the directory is synced after that, and until then what was removed
// is kept.
func TestRemoveOrder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	mustAppend(t, name, "old")
	report, calls := strace(t, []string{"-y", "-e", "trace=openat,flock,close,unlink,unlinkat,fsync"}, "remove", name)
	if report != "nil" {
		t.Fatal(report)
	}
	var did []string
	for _, call := range calls {
		verb, rest, _ := strings.Cut(call, "(")
		switch {
		case verb == "flock" && strings.Contains(rest, "LOCK_EX"):
			did = append(did, "lock")
		case verb == "openat" && strings.Contains(rest, "O_PATH") && strings.Contains(rest, "<"+name+">"):
			did = append(did, "keep")
		case verb == "close" && strings.Contains(rest, "<"+name+">(deleted)"):
			did = append(did, "let go")
		case verb == "unlinkat" && strings.Contains(rest, `"log"`):
			did = append(did, "remove")
		case verb == "unlinkat" && strings.Contains(rest, filepath.Base(lockPath(name))):
			did = append(did, "remove lock file")
		case verb == "fsync" && strings.Contains(rest, "<"+dir+">"):
			did = append(did, "sync")
		case verb == "flock" && strings.Contains(rest, "LOCK_UN"), verb == "close" && strings.Contains(rest, ".safeio-log.lock"):
			did = append(did, "unlock")
		}
	}
	if got := strings.Join(did, ", "); !strings.HasPrefix(got, "lock, keep, remove, remove lock file, sync, let go, unlock") {
		t.Errorf("order: %s\n%s", got, strings.Join(calls, "\n"))
	}
}
