package main

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// newKiller is a killer whose module is as it was.
func newKiller(t *testing.T) *killer {
	t.Helper()
	programs, err := testPrograms()
	if err != nil {
		t.Skip(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("no process can be interrupted")
	}
	k := &killer{dir: workDir(t), cache: t.TempDir(), slow: programs["lockvet-slow"], fake: programs["lockvet-fake"]}
	k.begin(t)
	return k
}

// TestExclude: while one run is at work another says so, and waits, or is interrupted.
func TestExclude(t *testing.T) {
	t.Parallel()
	k := newKiller(t)
	before := k.read(t)
	real, err := filepath.EvalSymlinks(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	file := lockFile(filepath.Join(k.cache, "locks"), real)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	held, err := safeio.Lock(file)
	if err != nil {
		t.Skip(err)
	}
	for _, interrupted := range []bool{true, false} {
		cmd := k.run(k.fake, -1)
		said, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(said)
		for lines.Scan() && !strings.Contains(lines.Text(), "another lockvet -fix is at work in "+real) {
		}
		if !strings.Contains(lines.Text(), file) || !strings.HasSuffix(lines.Text(), ": waiting for it") {
			t.Errorf("it says %q", lines.Text())
		}
		if !maps.Equal(k.read(t), before) {
			t.Error("it did not wait")
		}
		if interrupted {
			cmd.Process.Signal(os.Interrupt)
		} else {
			held.Unlock()
		}
		var rest bytes.Buffer
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
		err = cmd.Wait()
		after := k.read(t)
		switch {
		case interrupted && (err == nil || !strings.Contains(rest.String(), "interrupted; nothing was changed") || !maps.Equal(after, before)):
			t.Errorf("interrupted: %v\n%s", err, rest.String())
		case !interrupted && (err != nil || after["internal/safeio/safeio.go"] == ""):
			t.Errorf("let go on: %v\n%s", err, rest.String())
		}
	}
}

// TestInterrupted: a run that is interrupted while it writes puts back what it has changed.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	k := newKiller(t)
	before := k.read(t)
	for _, step := range []string{"step stage", "step rename"} {
		cmd := k.run(k.slow, -1)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), step) {
		}
		cmd.Process.Signal(os.Interrupt)
		for lines.Scan() {
		}
		err = cmd.Wait()
		if err == nil || !strings.Contains(said.String(), "interrupted; what was changed is put back") {
			t.Errorf("%s: %v\n%s", step, err, said.String())
		}
		if after := k.read(t); !maps.Equal(after, before) {
			t.Errorf("%s: have %v", step, after)
		}
	}
}
