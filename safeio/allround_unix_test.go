//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// All of the package at once, in one directory: eight processes with eight
// goroutines each, plain readers beside them, while half of the processes are
// killed over and over.

const (
	allroundProcesses  = 8
	allroundGoroutines = 8
	allroundTime       = 2000 * time.Millisecond
)

func init() {
	errands["allround"] = func(args []string) error { return allround(args[0], args[1], args[2]) }
}

// allround is one of the processes, until the time end, in milliseconds.
func allround(dir, process, end string) error {
	ms, err := strconv.ParseInt(end, 10, 64)
	if err != nil {
		return err
	}
	until := time.UnixMilli(ms)
	errs := make(chan error)
	for g := range allroundGoroutines {
		go func() {
			id, err := fmt.Sprintf("%s-%d", process, g), error(nil)
			for n := 1; err == nil && time.Now().Before(until); n++ {
				err = allroundTurn(dir, id, n, g)
			}
			errs <- err
		}()
	}
	var all []error
	for range allroundGoroutines {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// allroundTurn takes a turn at the lock, and writes number n in one of the ways.
func allroundTurn(dir, id string, n, g int) error {
	count, err := countLocked(filepath.Join(dir, "count"), id)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "turn %s %d\n", id, count)
	way := [...]string{"update", "append", "write"}[(n+g)%3]
	switch way {
	case "update":
		err = UpdateJSON(filepath.Join(dir, "map"), 0o644, func(v *map[string]int) error {
			if *v == nil {
				*v = map[string]int{}
			}
			(*v)[id] = n
			return nil
		})
	case "append":
		err = Append(filepath.Join(dir, "log"), numberedRecord(id, n), 0o644)
	case "write":
		err = WriteFile(filepath.Join(dir, "own-"+id), numberedContent(n), 0o644)
	}
	if err == nil {
		fmt.Fprintf(os.Stdout, "%s %s %d\n", way, id, n)
	}
	return err
}

// countLocked adds one to the number in the file, and notices who else is there.
func countLocked(name, id string) (count int, err error) {
	h, err := Lock(name)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return 0, errors.Join(err, h.Unlock())
	}
	defer f.Close()
	mine := fmt.Appendf(nil, "%-32s", id)
	buf := make([]byte, 64)
	_, err1 := f.WriteAt(mine, 32)
	_, err2 := f.ReadAt(buf, 0)
	count, err3 := strconv.Atoi(strings.TrimSpace(string(buf[:32])))
	count++
	runtime.Gosched()
	_, err4 := f.WriteAt(fmt.Appendf(nil, "%-32d", count), 0)
	_, err5 := f.ReadAt(buf, 0)
	if string(buf[32:]) != string(mine) {
		err = fmt.Errorf("overlap: %s and %s", mine, buf[32:])
	}
	return count, errors.Join(err, err1, err2, err3, err4, err5, h.Unlock())
}

// A tally is what the processes have been told.
type tally struct {
	sync.Mutex
	turns  map[string]int // by goroutine
	counts map[int]string // who had each number
	acked  map[string]int // by way and goroutine
	log    map[string]bool
	kills  int
}

func (c *tally) add(t *testing.T, line string) bool {
	var what, id string
	var n int
	if found, _ := fmt.Sscan(line, &what, &id, &n); found != 3 {
		return false
	}
	c.Lock()
	defer c.Unlock()
	switch what {
	case "turn":
		if other := c.counts[n]; other != "" {
			t.Errorf("overlap: %s and %s both had turn %d", id, other, n)
		}
		c.turns[id]++
		c.counts[n] = id
	case "append":
		c.log[string(numberedRecord(id, n))] = true
		fallthrough
	default:
		c.acked[what+" "+id] = n
	}
	return true
}

// ackedSoFar is what a reader that begins now must find.
func (c *tally) ackedSoFar(way string) map[string]int {
	c.Lock()
	defer c.Unlock()
	found := map[string]int{}
	for who, n := range c.acked {
		if id, ok := strings.CutPrefix(who, way+" "); ok {
			found[id] = n
		}
	}
	return found
}

func (c *tally) checkMap(dir string) error {
	acked := c.ackedSoFar("update")
	data, err := os.ReadFile(filepath.Join(dir, "map"))
	if errors.Is(err, fs.ErrNotExist) && len(acked) == 0 {
		return nil
	}
	var there map[string]int
	if err == nil {
		err = json.Unmarshal(data, &there)
	}
	for id, n := range acked {
		if there[id] < n && err == nil {
			err = fmt.Errorf("%w: update %d of %s", errLostState, n, id)
		}
	}
	return err
}

// checkLog reads as a program that does not know this package.
func (c *tally) checkLog(dir string) error {
	acked := c.ackedSoFar("append")
	data, err := os.ReadFile(filepath.Join(dir, "log"))
	if errors.Is(err, fs.ErrNotExist) && len(acked) == 0 {
		return nil
	}
	last := map[string]int{}
	for _, line := range strings.SplitAfter(string(data), "\n") {
		id, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.HasSuffix(line, "\n") || strings.HasSuffix(line, "\x18\n") {
			continue // being written, or known as torn
		}
		n, damage := contentNumber([]byte(content))
		if damage != nil || n <= last[id] {
			return fmt.Errorf("record %d of %s after %d: %w", n, id, last[id], damage)
		}
		last[id] = n
	}
	for id, n := range acked {
		if last[id] < n && err == nil {
			err = fmt.Errorf("%w: record %d of %s", errLostState, n, id)
		}
	}
	return err
}

func (c *tally) checkFiles(dir string) error {
	for id, n := range c.ackedSoFar("write") {
		data, err := os.ReadFile(filepath.Join(dir, "own-"+id))
		if err != nil {
			return err
		}
		there, err := contentNumber(data)
		if err != nil || there < n {
			return fmt.Errorf("%w: number %d of %s, there is %d: %w", errLostState, n, id, there, err)
		}
	}
	return nil
}

// runAllround runs a process, and kills it after a while unless that is 0.
func runAllround(t *testing.T, dir, process string, end time.Time, life time.Duration, c *tally) {
	cmd := child(t, "allround", dir, process, strconv.FormatInt(end.UnixMilli(), 10))
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Error(err)
		return
	}
	if life > 0 {
		time.AfterFunc(life, func() { cmd.Process.Kill() })
	}
	last := ""
	for in := bufio.NewScanner(out); in.Scan(); {
		if last = in.Text(); c.add(t, last) {
			last = ""
		}
	}
	if err := cmd.Wait(); err != nil && life > 0 {
		c.Lock()
		c.kills++
		c.Unlock()
		return
	}
	if last != "nil" {
		t.Errorf("process %s reports %q", process, last)
	}
}

func TestAllAtOnce(t *testing.T) {
	dir := memoryDir(t)
	mustWrite(t, filepath.Join(dir, "count"), fmt.Sprintf("%-64d", 0), 0o644)
	c := &tally{turns: map[string]int{}, counts: map[int]string{}, acked: map[string]int{}, log: map[string]bool{}}
	end := time.Now().Add(allroundTime)
	var processes, readers waitGroup
	for p := range allroundProcesses {
		processes.Go(func() {
			if p < allroundProcesses/2 {
				runAllround(t, dir, fmt.Sprint("steady", p), end, 0, c)
				return
			}
			for life := 0; time.Until(end) > 100*time.Millisecond; life++ {
				runAllround(t, dir, fmt.Sprintf("mortal%d.%d", p, life), end, 100*time.Millisecond+rand.N(500*time.Millisecond), c)
			}
		})
	}
	reads := make([]int, 4)
	done := make(chan struct{})
	for i, check := range []func(string) error{c.checkMap, c.checkLog, c.checkFiles, func(dir string) error {
		_, err := Sweep(dir)
		return err
	}} {
		readers.Go(func() {
			for {
				if err := check(dir); err != nil {
					t.Error(err)
					return
				}
				reads[i]++
				select {
				case <-done:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
	processes.Wait()
	close(done)
	readers.Wait()
	c.checkEnd(t, dir, reads)
}

// checkEnd looks at what is there in the end.
func (c *tally) checkEnd(t *testing.T, dir string, reads []int) {
	t.Helper()
	for _, check := range []func(string) error{c.checkMap, c.checkLog, c.checkFiles} {
		if err := check(dir); err != nil {
			t.Error(err)
		}
	}
	found, err := findRecords(filepath.Join(dir, "log"))
	if err != nil {
		t.Error(err)
	}
	torn := 0
	for _, f := range found {
		delete(c.log, f.text)
		if f.torn {
			torn++
		}
	}
	if len(c.log) > 0 {
		t.Errorf("%d acknowledged records are lost", len(c.log))
	}
	count, err := strconv.Atoi(strings.TrimSpace(mustRead(t, filepath.Join(dir, "count"))[:32]))
	if err != nil || count < len(c.counts) {
		t.Errorf("%d turns were acknowledged, %d counted: %v", len(c.counts), count, err)
	}
	for _, name := range others(t, dir, "count", ".safeio-count.lock", "map", ".safeio-map.lock", "log", ".safeio-log.lock") {
		if !strings.HasPrefix(name, "own-") {
			t.Errorf("left behind: %s", name)
		}
	}
	sum, least, steady := 0, 1<<30, 0
	for id, n := range c.turns {
		if strings.HasPrefix(id, "steady") {
			sum, least, steady = sum+n, min(least, n), steady+1
		}
	}
	if want := allroundProcesses / 2 * allroundGoroutines; steady != want || c.kills < 4 {
		t.Fatalf("%d goroutines of %d had a turn, %d processes were killed", steady, want, c.kills)
	}
	share := float64(least) * float64(steady) / float64(sum)
	t.Logf("%d turns acknowledged of %d, %d records of which %d torn by kills, %d kills, reads and sweeps %v; "+
		"of the mean of those that lived, the slowest goroutine had %.2f of the turns", len(c.counts), count, len(found), torn, c.kills, reads, share)
	if runtime.GOOS == "linux" && share < 0.5 {
		t.Errorf("the slowest goroutine had %d turns of %d", least, sum)
	}
}
