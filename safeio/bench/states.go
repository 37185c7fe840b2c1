//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/google/renameio/v2"
	"github.com/lockvet/lockvet/safeio"
	"github.com/natefinch/atomic"
)

// Crash states of a disk with a volatile write cache: what FS_IOC_SHUTDOWN cannot show, for
// it loses nothing that the device was given. Each kind of operation is done over and over
// by processes of its own, in a directory of its own, so that nobody else's sync of a
// directory helps it. At some moments, mostly just before a flush, several subsets of what
// was not flushed are taken for what a power cut leaves, mounted, and looked at.

// stateDisks are those with a journal, and btrfs. Few of the file system is free, so that
// what is freed is soon used again.
var stateDisks = []struct {
	disk
	share int // of the snapshots, in percent
}{
	{disk{"ext4", "data=ordered", 64 << 20}, 100},
	{disk{"ext4", "data=writeback", 64 << 20}, 100},
	{disk{"xfs", "nouuid", 304 << 20}, 50},
	{disk{"btrfs", "noatime", 128 << 20}, 50},
}

// An operation writes the n-th content in dir, and returns the number that it means: the
// next one of all for what is counted in the file itself.
type operation struct {
	name      string
	processes int
	control   bool // it is known to lose something
	do        func(path string, n int) (number int, err error)
	look      func(path string, told told) error // what errLost and errTorn say of it after a cut
}

// errLost says that what was acknowledged is not there.
var errLost = errors.New("lost")

// A told is what the processes of an operation were told before the cut: the highest
// number, and all of them by process.
type told struct {
	last    int
	numbers map[string]map[int]bool
}

var operations = []operation{
	{"WriteFile", 1, false, func(path string, n int) (int, error) {
		return n, safeio.WriteFile(path, sized(n), 0o644)
	}, lookWhole},
	{"Create", 1, false, createInPieces, lookWhole},
	{"Replace", 1, false, func(path string, n int) (int, error) {
		return n, safeio.Replace(path, func(p string) error { return os.WriteFile(p, sized(n), 0o644) })
	}, lookWhole},
	{"Update", 2, false, updateNumber, lookWhole},
	{"State", 2, false, updateState, lookState},
	{"Append", 3, false, nil, lookRecords},
	{"Symlink", 1, false, func(path string, n int) (int, error) {
		return n, safeio.Symlink(strconv.Itoa(n), path)
	}, lookLink},
	{"Remove", 1, false, writeAndRemove, lookRemoved},
	{"Backup", 1, false, backUp, lookBackup},
	{"renameio", 1, true, func(path string, n int) (int, error) {
		return n, renameio.WriteFile(path, sized(n), 0o644, renameio.WithTempDir(filepath.Dir(path)))
	}, lookWhole},
	{"natefinch/atomic", 1, true, func(path string, n int) (int, error) {
		return n, atomic.WriteFile(path, strings.NewReader(string(sized(n))))
	}, lookWhole},
	{"os.WriteFile, Sync", 1, true, func(path string, n int) (int, error) {
		return n, writeSynced(path, sized(n))
	}, lookWhole},
	{"os.WriteFile", 1, true, func(path string, n int) (int, error) {
		time.Sleep(2 * time.Millisecond) // or it would fill the disk's cache alone
		return n, os.WriteFile(path, sized(n), 0o644)
	}, lookWhole},
}

// sized is a content of lines that each have its number. Some fit in a page, some are many.
func sized(n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%15d\n", n), []int{3, 20, 300, 1250, 4400}[n%5]+n%30)
}

func createInPieces(path string, n int) (int, error) {
	f, err := safeio.Create(path)
	if err != nil {
		return n, err
	}
	defer f.Close()
	for data := sized(n); len(data) > 0; data = data[min(3000, len(data)):] {
		if _, err := f.Write(data[:min(3000, len(data))]); err != nil {
			return n, err
		}
	}
	return n, f.Commit()
}

func updateNumber(path string, _ int) (now int, err error) {
	return now, safeio.Update(path, 0o644, func(old []byte) ([]byte, error) {
		was, err := 0, error(nil)
		if old != nil {
			was, err = numberOf(old, sized)
		}
		now = was + 1
		return sized(now), err
	})
}

func updateState(path string, _ int) (now int, err error) {
	return now, safeio.NewState[int](path, 0o644).Update(context.Background(), func(v *int) error {
		*v++
		now = *v
		return nil
	})
}

// writeAndRemove writes the odd ones, and removes them by the even ones.
func writeAndRemove(path string, n int) (int, error) {
	if n%2 == 1 {
		return n, safeio.WriteFile(path, sized(n), 0o644)
	}
	return n, safeio.Remove(path)
}

// backUp writes a content and copies it; sometimes it removes all copies before.
func backUp(path string, n int) (int, error) {
	if err := safeio.WriteFile(path, sized(n), 0o644); err != nil {
		return n, err
	}
	if n%3 == 0 {
		copies, _ := filepath.Glob(path + ".bak*") // and none of the lock files, which are hidden
		for _, name := range copies {
			if err := safeio.Remove(name); err != nil {
				return n, err
			}
		}
	}
	return n, safeio.Backup(path)
}

// record is the n-th of a process.
func record(process string, n int) string {
	return fmt.Sprintf("%s %d %s.", process, n, strings.Repeat(strconv.Itoa(n%10), 20+n*37%4000))
}

func lookWhole(path string, t told) error {
	n, err := numberIn(path, sized)
	if errors.Is(err, fs.ErrNotExist) {
		n, err = 0, nil
	}
	if err == nil && n < t.last {
		err = fmt.Errorf("%w: number %d is there, %d was acknowledged", errLost, n, t.last)
	}
	return err
}

func lookState(path string, t told) error {
	n, err := safeio.ReadJSON[int](path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", errTorn, err)
	case n < t.last:
		return fmt.Errorf("%w: number %d is there, %d was acknowledged", errLost, n, t.last)
	}
	return nil
}

func lookLink(path string, t told) error {
	to, _ := os.Readlink(path)
	if n, _ := strconv.Atoi(to); n < t.last {
		return fmt.Errorf("%w: it leads to %q, %d was acknowledged", errLost, to, t.last)
	}
	return nil
}

// lookRemoved finds no file, or one that is written after the last that was acknowledged.
func lookRemoved(path string, t told) error {
	n, err := numberIn(path, sized)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.last%2 == 0, err == nil && n >= t.last:
		return nil
	case errors.Is(err, fs.ErrNotExist): // the next one may have removed it
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: number %d is back, %d was acknowledged", errLost, n, t.last)
}

// lookBackup finds whole copies only, and one of the content of the file, if that was acknowledged.
func lookBackup(path string, t told) error {
	n, err := numberIn(path, sized)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && t.last == 0 {
			return nil
		}
		return err
	}
	found := n != t.last
	copies, _ := filepath.Glob(path + ".bak*")
	for _, name := range copies {
		copied, err := numberIn(name, sized)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		found = found || copied == n
	}
	if !found {
		return fmt.Errorf("%w: no copy of number %d", errLost, n)
	}
	return nil
}

// lookRecords appends one more, and finds all that were acknowledged, once and in order.
// A line with zeros was not acknowledged: its blocks did not reach the disk.
func lookRecords(path string, t told) error {
	if err := safeio.Append(path, []byte("after the cut"), 0o644); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	found := map[string]map[int]bool{}
	last := map[string]int{}
	for data, err := range safeio.Records(path) {
		line := string(data)
		if errors.Is(err, safeio.ErrTorn) || strings.Contains(line, "\x00") || line == "after the cut" {
			continue
		}
		if err != nil {
			return err
		}
		process, rest, _ := strings.Cut(line, " ")
		number, _, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(number)
		if line != record(process, n) || n <= last[process] {
			return fmt.Errorf("%w: %.40q after number %d", errTorn, line, last[process])
		}
		if last[process] = n; found[process] == nil {
			found[process] = map[int]bool{}
		}
		found[process][n] = true
	}
	for process, numbers := range t.numbers {
		for n := range numbers {
			if !found[process][n] {
				return fmt.Errorf("%w: record %d of %d of process %s", errLost, n, len(numbers), process)
			}
		}
	}
	return nil
}

// A stateRun is one kind of disk, and all at work on it.
type stateRun struct {
	mu     sync.Mutex
	told   map[string]told // by operation
	counts map[string]int
	failed error
}

// errNoControls says that the cuts are none.
var errNoControls = errors.New("not even the controls lost anything")

// lookAtStates looks at crash states of each kind of disk, and prints what was lost by what.
// It fails if that is more than the controls.
func lookAtStates(o options, out io.Writer) error {
	removeLeftovers(o.memory)
	var wrong error
	for _, d := range stateDisks {
		tallies, err := d.states(o, max(1, o.states*d.share/100), out)
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
		controls := 0
		tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "  \tacknowledged\tlost\ttorn\t\n")
		for _, op := range operations {
			t := tallies[op.name]
			fmt.Fprintf(tw, "  %s\t%d\t%d\t%d\t\n", op.name, t.acks, t.lost, t.torn)
			switch bad := t.lost + t.torn; {
			case op.control:
				controls += bad
			case bad > 0:
				wrong = errors.Join(wrong, fmt.Errorf("%s: %s: %d lost, %d torn", d, op.name, t.lost, t.torn))
			}
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		if controls == 0 {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %w", d, errNoControls))
		}
	}
	return wrong
}

// states makes the disk, and has all at work on it while it is looked at.
func (d disk) states(o options, snapshots int, out io.Writer) (_ map[string]tally, err error) {
	home, err := newHome(o.memory)
	if err != nil {
		return nil, err
	}
	defer home.remove()
	image, served, dir := home.file("image"), home.dir("served"), home.dir("disk")
	if err := d.format(image); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(image)
	if err != nil {
		return nil, err
	}
	v, server, err := serveDisk(content, served)
	if err != nil {
		return nil, fmt.Errorf("FUSE: %w", err)
	}
	defer server.Unmount()
	if err := d.mount(v.path(served), dir); err != nil {
		return nil, err
	}
	defer command("umount", dir)
	if err := d.fill(dir); err != nil {
		return nil, err
	}
	run := &stateRun{told: map[string]told{}, counts: map[string]int{}}
	stop, err := run.start(dir)
	defer stop()
	if err != nil {
		return nil, err
	}
	tallies, states, err := d.snapshots(run, v, snapshots, image, home.dir("look"))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "\n%d crash states of %d snapshots, %d flushes, on %s\n\n", states, snapshots, v.flushed(), d)
	return tallies, nil
}

// start starts the processes of all operations, and the load.
func (run *stateRun) start(dir string) (stop func(), err error) {
	var started []*exec.Cmd
	var read sync.WaitGroup
	stop = func() {
		for _, cmd := range started {
			cmd.Process.Kill()
		}
		read.Wait()
	}
	begin := func(name, path, process string) error {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(exe, errand, "state", name, path, process)
		cmd.Stderr = os.Stderr
		lines, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return err
		}
		started = append(started, cmd)
		read.Go(func() {
			for in := bufio.NewScanner(lines); in.Scan(); {
				run.note(name, process, in.Text())
			}
			cmd.Wait() // it is killed
		})
		return nil
	}
	for _, op := range operations {
		own := filepath.Join(dir, fileName(op.name))
		err = errors.Join(err, os.Mkdir(own, 0o755))
		for i := range op.processes {
			err = errors.Join(err, begin(op.name, filepath.Join(own, "state"), strconv.Itoa(i)))
		}
	}
	err = errors.Join(err, os.Mkdir(filepath.Join(dir, loadName), 0o755))
	for i := range 2 {
		err = errors.Join(err, begin(loadName, filepath.Join(dir, loadName, "file"), strconv.Itoa(i)))
	}
	return stop, err
}

// fileName is the name of an operation's directory.
func fileName(operation string) string {
	return strings.NewReplacer("/", "-", " ", "-", ",", "").Replace(operation)
}

// note takes a line of a process.
func (run *stateRun) note(name, process, line string) {
	n, err := strconv.Atoi(line)
	run.mu.Lock()
	defer run.mu.Unlock()
	if err != nil {
		run.failed = errors.Join(run.failed, fmt.Errorf("%s: %s", name, line))
		return
	}
	t := run.told[name]
	if t.numbers == nil {
		t.numbers = map[string]map[int]bool{}
	}
	if t.numbers[process] == nil {
		t.numbers[process] = map[int]bool{}
	}
	t.numbers[process][n] = true
	t.last = max(t.last, n)
	run.told[name] = t
	run.counts[name]++
}

// acknowledged is what all were told by now.
func (run *stateRun) acknowledged() (map[string]told, error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	all := map[string]told{}
	for name, t := range run.told {
		numbers := map[string]map[int]bool{}
		for process, n := range t.numbers {
			numbers[process] = maps.Clone(n)
		}
		all[name] = told{t.last, numbers}
	}
	return all, run.failed
}

// snapshots looks at the states of the disk at some moments.
func (d disk) snapshots(run *stateRun, v *volatileDisk, n int, image, at string) (map[string]tally, int, error) {
	tallies, states := map[string]tally{}, 0
	const pause = 300 * time.Millisecond
	for snapshot := range n {
		time.Sleep(pause + rand.N(pause))
		acked, err := run.acknowledged()
		if err != nil {
			return nil, 0, err
		}
		var cut cutState
		if snapshot%3 == 0 {
			cut = v.now()
		} else {
			cut = v.atFlush(2 + rand.IntN(8))
		}
		r := rand.New(rand.NewPCG(uint64(snapshot), 1))
		for subset := range subsets {
			err := os.WriteFile(image, cut.after(subset, r), 0o600)
			if err == nil {
				err = d.mount(image, at)
			}
			if err == nil {
				err = errors.Join(lookAtAll(at, acked, tallies), command("umount", at))
			}
			if err != nil {
				return nil, 0, fmt.Errorf("snapshot %d, subset %d: %w", snapshot, subset, err)
			}
			states++
		}
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	for name, count := range run.counts {
		t := tallies[name]
		t.acks = count
		tallies[name] = t
	}
	return tallies, states, nil
}

// lookAtAll counts what a state has lost, and wants no temporary to be left after a Sweep.
func lookAtAll(at string, acked map[string]told, tallies map[string]tally) error {
	for _, op := range operations {
		dir := filepath.Join(at, fileName(op.name))
		t := tallies[op.name]
		err := op.look(filepath.Join(dir, "state"), acked[op.name])
		switch {
		case errors.Is(err, errTorn):
			t.torn++
		case errors.Is(err, errLost):
			t.lost++
		case err != nil:
			return fmt.Errorf("%s: %w", op.name, err)
		}
		tallies[op.name] = t
		if _, err := safeio.Sweep(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		left, err := filepath.Glob(filepath.Join(dir, ".safeio-*.tmp"))
		left = slices.DeleteFunc(left, func(name string) bool {
			info, err := os.Lstat(name)
			return err == nil && !info.Mode().IsRegular() // a link that Symlink was about to put in place
		})
		if err != nil || len(left) > 0 && !op.control {
			return fmt.Errorf("%s: %q are left, %v", op.name, left, err)
		}
	}
	return nil
}

// runState does an operation over and over, and says what was acknowledged.
func runState(name, path, process string, out io.Writer) error {
	i := slices.IndexFunc(operations, func(op operation) bool { return op.name == name })
	for n := 1; ; n++ {
		number, err := n, error(nil)
		switch {
		case name == loadName:
			err = load(path+process, n)
			time.Sleep(500 * time.Microsecond)
		case name == "Append":
			err = safeio.Append(path, []byte(record(process, n)), 0o644)
		default:
			number, err = operations[i].do(path, n)
		}
		switch {
		case errors.Is(err, syscall.ENOSPC), err != nil && i >= 0 && operations[i].control: // whose errors say it in words
			n--
			time.Sleep(5 * time.Millisecond)
		case err != nil:
			fmt.Fprintln(out, err)
			return err
		case name != loadName:
			fmt.Fprintln(out, number)
		}
	}
}
