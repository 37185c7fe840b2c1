// Stress runs several sessionwriter processes on one session file while
// others read it, until somebody finds the file broken.
//
//	go run ./stress                     the four plain harnesses
//	go run ./stress -harness document   the one that locks its file
//
// Its last line is the figure:
//
//	written   steps that a process acknowledged as saved
//	lost      of these, steps in a session that was unreadable after the last writer had ended
//	torn      times that a reader found the file empty, cut short or mixed
//	phantom   always 0
//
// It exits with 0 when nothing was lost or torn, 1 when something was, and 2
// when it could not run.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var plain = []string{"image", "audio", "video", "diagram"}

type figure struct{ written, lost, torn int64 }

func (f *figure) add(g figure) { f.written += g.written; f.lost += g.lost; f.torn += g.torn }

func (f figure) broken() bool { return f.lost+f.torn > 0 }

type stress struct {
	program string
	dir     string
	writers int
	steps   int
}

func main() {
	harness := flag.String("harness", "plain", "plain, image, audio, video, diagram or document")
	program := flag.String("program", "", "sessionwriter to run (default: built from the current directory)")
	rounds := flag.Int("rounds", 4, "rounds per harness without a loss before it passes")
	timeout := flag.Duration("timeout", time.Minute, "give up after this time")
	writers := flag.Int("writers", 3, "processes that write one session")
	steps := flag.Int("steps", 25, "steps that each process saves per round")
	flag.Parse()

	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "sessionwriter-")
	if err != nil {
		fail(err)
	}
	s := &stress{program: *program, dir: dir, writers: *writers, steps: *steps}
	harnesses := plain
	if *harness != "plain" {
		harnesses = []string{*harness}
	}
	total, err := s.run(ctx, harnesses, *rounds)
	os.RemoveAll(dir)
	if err != nil {
		fail(err)
	}
	fmt.Printf("written=%d lost=%d torn=%d phantom=0\n", total.written, total.lost, total.torn)
	if total.broken() {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "stress:", err)
	os.Exit(2)
}

// run gives every harness its rounds; a harness is done at its first broken round.
func (s *stress) run(ctx context.Context, harnesses []string, rounds int) (figure, error) {
	var total figure
	if s.program == "" {
		s.program = filepath.Join(s.dir, "sessionwriter")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.program, ".").CombinedOutput(); err != nil {
			return total, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	for _, app := range harnesses {
		var sum figure
		round := 0
		for round < rounds && !sum.broken() {
			round++
			f, err := s.round(ctx, app, filepath.Join(s.dir, fmt.Sprintf("%s-%d.json", app, round)))
			if err != nil {
				return total, fmt.Errorf("%s: %w", app, err)
			}
			sum.add(f)
		}
		fmt.Printf("%-9s rounds=%d written=%d lost=%d torn=%d\n", app, round, sum.written, sum.lost, sum.torn)
		total.add(sum)
	}
	return total, nil
}

// round begins a session alone, then lets the writers share it while readers
// watch, and reads it once more when all have ended.
func (s *stress) round(ctx context.Context, app, file string) (figure, error) {
	var f figure
	var torn, stop atomic.Bool
	n, damaged, err := s.record(ctx, app, file, s.steps, &stop)
	if err != nil || damaged || n != int64(s.steps) {
		return f, fmt.Errorf("first session: %d of %d steps saved: %v", n, s.steps, err)
	}
	f.written = n

	var readers sync.WaitGroup
	var tornReads atomic.Int64
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				if !readable(app, file) {
					tornReads.Add(1)
					torn.Store(true)
				}
			}
		})
	}
	var writers sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range s.writers {
		writers.Go(func() {
			n, damaged, err := s.record(ctx, app, file, s.steps, &torn)
			mu.Lock()
			defer mu.Unlock()
			f.written += n
			if damaged {
				tornReads.Add(1)
			}
			failed = errors.Join(failed, err)
		})
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
	if failed != nil {
		return f, failed
	}
	f.torn = tornReads.Load()
	if !readable(app, file) {
		f.lost = f.written
	}
	return f, nil
}

// record runs one writer and hands it the next command when the last one is
// acknowledged, up to steps or until stop. damaged says that the writer found
// a file that it could not read.
func (s *stress) record(ctx context.Context, app, file string, steps int, stop *atomic.Bool) (acked int64, damaged bool, err error) {
	cmd := exec.CommandContext(ctx, s.program, "record", "-app", app, "-file", file)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, false, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, false, err
	}
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	acks := bufio.NewScanner(out)
	for i := 0; i < steps && !stop.Load(); i++ {
		if _, err := fmt.Fprintf(in, "adjust-curve channel=%d\n", i%4); err != nil {
			break
		}
		if !acks.Scan() {
			break
		}
		acked++
	}
	in.Close()
	for acks.Scan() {
		acked++
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return acked, true, nil
	case err != nil:
		return acked, false, fmt.Errorf("record: %w\n%s", err, stderr.String())
	}
	return acked, false, nil
}

// readable reads the session as the program does: under the shared lock where
// the harness has one.
func readable(app, file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if app == "document" {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
			return false
		}
	}
	data, err := io.ReadAll(f)
	return err == nil && json.Valid(data)
}
