package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: in the log of a run that takes long somebody reads what it is doing, and how long it has
// been at it, in a few lines.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&locked{w: &out}, 10*time.Second)
		p.step("loading packages")
		time.Sleep(9 * time.Second)
		if out.Len() > 0 {
			t.Errorf("a run of nine seconds says %q", &out)
		}
		time.Sleep(16 * time.Second)
		p.step("analysing packages")
		p.count("analysing packages", 1, 2)
		time.Sleep(16 * time.Second)
		p.clear()
		time.Sleep(time.Hour)
		want := "lockvet: loading packages (10s so far)\nlockvet: loading packages (20s so far)\nlockvet: analysing packages: 1 of 2, 50 % (40s so far)\n"
		if out.String() != want {
			t.Errorf("it says %q, want %q", &out, want)
		}
		p.step("fixing")
		time.Sleep(10 * time.Minute)
		p.clear()
		if got := strings.Count(out.String(), "fixing"); got == 0 || got > 4 {
			t.Errorf("in ten minutes it says %d times that it is fixing", got)
		}
	})
}

// TestProgressOnTerminal: the line stands from the first second on, is drawn again while nothing happens,
// and goes.
func TestProgressOnTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(io.Discard, 10*time.Second)
		p.w, p.terminal = &locked{w: &out}, true
		p.step("loading packages")
		time.Sleep(1500 * time.Millisecond)
		if got, want := out.String(), "\r\x1b[Klockvet: loading packages …"; got != want {
			t.Errorf("after a second it says %q, want %q", got, want)
		}
		time.Sleep(time.Minute)
		if want := "loading packages (1m1s) …"; !strings.HasSuffix(out.String(), want) {
			t.Errorf("after a minute it says %q, want %q", out.String(), want)
		}
		p.clear()
		if !strings.HasSuffix(out.String(), "…\r\x1b[K") {
			t.Errorf("the line stays: %q", out.String())
		}
	})
}

// locked is a writer for several goroutines.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
