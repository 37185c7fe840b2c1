//go:build linux

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == errand {
		exit(runErrand(os.Args[2:], os.Stdout))
	}
	os.Exit(m.Run())
}

// TestContenders has each do its work, once on a file that does not exist and
// once more.
func TestContenders(t *testing.T) {
	for _, c := range []contest{writes(200, onDisk), writes(64<<10, inMemory), locks(), updates(), appends()} {
		for _, who := range c.contenders {
			t.Run(c.title+"/"+who.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state")
				for n := 1; n <= 2; n++ {
					if err := who.op(path); err != nil {
						t.Fatal(err)
					}
					if err := c.check(path, n); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestBench holds everything once, as small as it goes.
func TestBench(t *testing.T) {
	var out strings.Builder
	dir := t.TempDir()
	o := options{rounds: 1, dir: dir, memory: "/dev/shm", crowd: 50 * time.Millisecond}
	if err := bench(o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"WriteFile of 200 bytes", "safeio.Update", "Append", "4 processes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A round in which the machine was four times as slow must not move a ratio.
func TestRatioInsideRounds(t *testing.T) {
	if got := ratio([]float64{11, 44, 11}, []float64{10, 40, 10}); got < 1.09 || got > 1.11 {
		t.Error(got)
	}
}

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		unit     unit
		r, bound float64
		want     string
	}{
		{microseconds, 1.2, 0, "1.20"},
		{microseconds, 1.2, 1.25, "1.20 ≤ 1.25"},
		{microseconds, 1.3, 1.25, "1.30 > 1.25!"},
		{perSecond, 3, 3, "3.00 ≥ 3.00"},
		{perSecond, 2.5, 3, "2.50 < 3.00!"},
	} {
		if got := test.unit.ratio(test.r, test.bound); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestCuts cuts the power once of each disk.
func TestCuts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	var out strings.Builder
	if err := cutAll(options{cuts: 1, memory: "/dev/shm"}, &out); err != nil {
		t.Skipf("there are no disks whose power could be cut: %v", err)
	}
	if n := strings.Count(out.String(), "safeio.WriteFile"); n != len(disks) {
		t.Errorf("%d tables:\n%s", n, out.String())
	}
}

// TestCrashStates looks at the states of one snapshot of each disk.
func TestCrashStates(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	var out strings.Builder
	err := lookAtStates(options{states: 1, memory: "/dev/shm"}, &out)
	if err != nil && !errors.Is(err, errNoControls) { // of one snapshot, the controls may come out well
		t.Skipf("there are no disks whose power could be cut: %v", err)
	}
	if n := strings.Count(out.String(), "Backup"); n != len(stateDisks) {
		t.Errorf("%d tables:\n%s", n, out.String())
	}
}

// TestLeftovers removes what a run has left that was killed, and leaves alone what another
// is at work in.
func TestLeftovers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	below := t.TempDir()
	left, err1 := newHome(below)
	used, err2 := newHome(below)
	err := errors.Join(err1, err2, syscall.Mount("none", left.dir("disk"), "tmpfs", 0, ""))
	if err != nil {
		t.Fatal(err)
	}
	left.lock.Close()
	removeLeftovers(below)
	if _, err := os.Stat(left.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if err := errors.Join(os.Mkdir(used.file("x"), 0o700), used.remove()); err != nil {
		t.Error(err)
	}
}

// TestAfter has a disk keep what a cut may leave, and nothing else.
func TestAfter(t *testing.T) {
	s := cutState{make([]byte, 4*page), nil}
	for i := range 3 {
		s.pending = append(s.pending, write{int64(i * page), bytes.Repeat([]byte{byte(i + 1)}, 2*page)})
	}
	for subset := range subsets {
		image := s.after(subset, rand.New(rand.NewPCG(1, 1)))
		for off := 0; off < len(image); off += page {
			first, at := int(image[off]), off/page
			if !bytes.Equal(image[off:off+page], bytes.Repeat(image[off:off+1], page)) || first != 0 && first != at && first != at+1 {
				t.Errorf("subset %d, page %d: %d", subset, at, first)
			}
		}
		if none := bytes.Equal(image, s.durable); none != (subset == 0) && subset < 2 {
			t.Errorf("subset %d leaves nothing: %t", subset, none)
		}
	}
}

func TestNumberIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	for _, test := range []struct {
		content []byte
		want    int
		torn    bool
	}{
		{numbered(7), 7, false},
		{nil, 0, true},
		{numbered(7)[:40], 0, true},
		{append(numbered(7)[:160], numbered(8)[160:]...), 0, true},
	} {
		if err := os.WriteFile(path, test.content, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := numberIn(path, numbered); got != test.want || (err != nil) != test.torn {
			t.Errorf("%.40q: %d, %v", test.content, got, err)
		}
	}
}
