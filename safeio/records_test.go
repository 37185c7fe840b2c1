package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRecordsErrors(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]error{filepath.Join(dir, "none"): fs.ErrNotExist, "": nil, dir: nil} {
		n := 0
		for record, err := range Records(name) {
			var pe *fs.PathError
			if record != nil || !errors.As(err, &pe) || pe.Path != name || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %q, %v", name, record, err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%s: yielded %d times", name, n)
		}
	}
	wantOnly(t, dir)
}

// TestRecordsAreIterated breaks, repeats, and changes what it was given.
func TestRecordsAreIterated(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	mustWrite(t, name, "a\nb\nc\n", 0o644)
	before := openFiles(t)
	records := Records(name)
	for record := range records {
		if string(record) != "a" {
			t.Errorf("got %q", record)
		}
		break
	}
	for record, err := range RecordsJSON[int](name) {
		if err == nil {
			t.Errorf("got %v", record)
		}
		break
	}
	if now := openFiles(t); now != before {
		t.Errorf("%d descriptors, before %d", now, before)
	}
	var got []string
	for record := range records {
		got = append(got, string(record))
		if grown := append(record, "xyz"...); len(grown) == 4 {
			record[0] = '\n'
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
	wantOnly(t, dir, "log") // whole lines need no lock
}

func TestLongLines(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	var want []string
	for _, n := range []int{0, 1, 64<<10 - 2, 64<<10 - 1, 64 << 10, 64<<10 + 1, 5 << 20, 7, 200 << 10} {
		want = append(want, strings.Repeat("l", n))
	}
	mustWrite(t, name, strings.Join(want, "\n")+"\n"+strings.Repeat("t", 100<<10), 0o644)
	wantRecords(t, name, append(want, fmt.Sprintf("torn 10 %d %s", len(strings.Join(want, "\n"))+1, strings.Repeat("t", 100<<10)))...)
}

// TestRecordsThen appends while it reads: what was there at the beginning
// is what is read.
func TestRecordsThenAppend(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "a\nb\nto", 0o644)
	n := 0
	for range Records(name) {
		mustAppend(t, name, "more")
		if n++; n > 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d records", n)
	}
	wantRecords(t, name, "a", "b", "torn 3 4 to", "more", "more", "more")
}

// TestTornErrorStays keeps the error beyond the iteration.
func TestTornErrorStays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "first\x18\n"+strings.Repeat("long\n", 100_000), 0o644)
	var torn *TornError
	for _, err := range Records(name) {
		if err != nil && !errors.As(err, &torn) {
			t.Fatal(err)
		}
	}
	if torn == nil || string(torn.Piece) != "first" || torn.Line != 1 || torn.Offset != 0 {
		t.Errorf("got %+v", torn)
	}
}

func TestRecordsJSON(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "{\"n\":1}\n\n \r\n{\"n\":\"x\"}\n{\"n\":2}\r\n{\"n\x18\nnot json\n{\"n\":3}\n{\"n", 0o644)
	var got []string
	for v, err := range RecordsJSON[struct{ N int }](name) {
		var pe *fs.PathError
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case err == nil:
			got = append(got, fmt.Sprint(v.N))
		case !errors.As(err, &pe) || pe.Path != name || v.N != 0:
			t.Errorf("%v, %v", v, err)
		case errors.Is(err, ErrTorn):
			got = append(got, "torn")
		case errors.As(err, &syntax) && strings.Contains(err.Error(), "line 7"):
			got = append(got, "syntax")
		case errors.As(err, &kind):
			got = append(got, "type")
		}
	}
	if s := strings.Join(got, " "); s != "1 type 2 torn syntax 3 torn" {
		t.Errorf("got %s", s)
	}
}

// waitersFor counts those that wait for a lock in this system's list of locks.
func waitersFor(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	n := 0
	for _, line := range strings.Split(string(data), "\n") {
		if f := strings.Fields(line); len(f) > 5 && f[1] == "->" && f[5] == fmt.Sprint(os.Getpid()) {
			n++
		}
	}
	return n
}

// holdLock locks name as another process would, through a descriptor of its own.
func holdLock(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(lockPath(name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := tryLock(f); err != nil {
		t.Skip(err)
	}
	return f
}

// TestTailOfALivingWriter has a writer in the middle of a record.
func TestTailOfALivingWriter(t *testing.T) {
	needLocks(t)
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc/locks to see who waits")
	}
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "old\n", 0o644)
	writer := holdLock(t, name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	io.WriteString(f, "half")

	got := make(chan []string)
	go func() { got <- recordsOf(t, name) }()
	for waitersFor(t) == 0 {
		select {
		case records := <-got:
			t.Fatalf("did not wait for the lock: %q", records)
		case <-time.After(time.Millisecond):
		}
	}
	io.WriteString(f, " whole\nand another\n")
	writer.Close()
	if s := strings.Join(<-got, ","); s != "old,half whole,and another" {
		t.Errorf("records %s", s)
	}
}

// TestAppendWaitsForAWriter has one in the middle of a record, which must not be
// taken for torn.
func TestAppendWaitsForAWriter(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc/locks to see who waits")
	}
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "half", 0o644)
	writer := holdLock(t, name)
	done := make(chan error)
	go func() { done <- Append(name, []byte("new"), 0o644) }()
	for waitersFor(t) == 0 {
		select {
		case err := <-done:
			t.Fatalf("did not wait for the lock: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	mustWrite(t, name, "half whole\n", 0o644)
	writer.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantContent(t, name, "half whole\nnew\n")
}

// needContexts skips if a wait for a lock cannot be ended.
func needContexts(t *testing.T) {
	t.Helper()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if held, err := RLockContext(done, filepath.Join(t.TempDir(), "log")); err == nil {
		held.Unlock()
		t.Skip("locks do not heed contexts")
	}
}

// TestTailBehindAHeldLock has a writer that does not get on: its tail is left out.
func TestTailBehindAHeldLock(t *testing.T) {
	needContexts(t)
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "old\nhalf", 0o644)
	writer := otherHolds(t, "hold", name)
	wantRecords(t, name, "old")
	writer.letGo(t)
}

// TestTailOfAWriterWithoutLockFile has one that has locked the log itself.
func TestTailOfAWriterWithoutLockFile(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "old\nhalf", 0o644)
	writer, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := tryLock(writer); err != nil {
		t.Skip(err)
	}
	timer := time.AfterFunc(lockPatience/10, func() {
		writer.WriteAt([]byte("whole\n"), 4)
		writer.Close()
	})
	defer timer.Stop()
	wantRecords(t, name, "old", "whole")
}

// FuzzRecords reads any file: each line is yielded once, as a record or torn.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{"", "\n", "a", "a\nb", "\x18\n", "\x18", "a\x18\x18\nb\x18", "\r\n\x00\n\n", strings.Repeat("x", 70<<10) + "\ny"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		needLocks(t)
		name := filepath.Join(t.TempDir(), "log")
		mustWrite(t, name, string(data), 0o644)
		lines := bytes.Split(data, []byte("\n"))
		var want []string
		offset := 0
		for i, line := range lines {
			last := i == len(lines)-1
			switch {
			case last && len(line) == 0:
			case last || bytes.HasSuffix(line, []byte{0x18}):
				want = append(want, fmt.Sprintf("torn %d %d %s", i+1, offset, bytes.TrimRight(line, "\x18")))
			default:
				want = append(want, string(line))
			}
			offset += len(line) + 1
		}
		wantRecords(t, name, want...)
		for range RecordsJSON[any](name) {
		}
	})
}
