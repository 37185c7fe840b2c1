// Stress runs several writelock processes, each with several agents, on one
// session, until an entry that a process acknowledged is missing.
//
//	go run ./stress
//
// Its last line is the figure:
//
//	written   entries that a process acknowledged
//	lost      of these, entries that the transcript does not have
//	torn      transcripts that could not be read at the end
//	phantom   entries that nobody acknowledged
//
// It exits with 0 when nothing was lost, 1 when something was, and 2 when it
// could not run.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

type figure struct{ written, lost, torn, phantom int }

func (f *figure) add(g figure) {
	f.written += g.written
	f.lost += g.lost
	f.torn += g.torn
	f.phantom += g.phantom
}

func (f figure) broken() bool { return f.lost+f.torn+f.phantom > 0 }

type stress struct {
	program                   string
	dir                       string
	writers, agents, messages int
}

func main() {
	program := flag.String("program", "", "writelock to run (default: built from the current directory)")
	rounds := flag.Int("rounds", 10, "rounds without a loss before it passes")
	timeout := flag.Duration("timeout", time.Minute, "give up after this time")
	writers := flag.Int("writers", 3, "processes on one session")
	agents := flag.Int("agents", 3, "agents in each process")
	messages := flag.Int("messages", 20, "entries that each agent writes per round")
	flag.Parse()

	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "writelock-")
	if err != nil {
		fail(err)
	}
	s := &stress{*program, dir, *writers, *agents, *messages}
	total, err := s.run(ctx, *rounds)
	os.RemoveAll(dir)
	if err != nil {
		fail(err)
	}
	fmt.Printf("written=%d lost=%d torn=%d phantom=%d\n", total.written, total.lost, total.torn, total.phantom)
	if total.broken() {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "stress:", err)
	os.Exit(2)
}

// run repeats rounds until the first broken one.
func (s *stress) run(ctx context.Context, rounds int) (figure, error) {
	var total figure
	if s.program == "" {
		s.program = filepath.Join(s.dir, "writelock")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.program, ".").CombinedOutput(); err != nil {
			return total, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	for round := 1; round <= rounds && !total.broken(); round++ {
		f, err := s.round(ctx, filepath.Join(s.dir, fmt.Sprintf("session-%d.json", round)))
		if err != nil {
			return total, fmt.Errorf("round %d: %w", round, err)
		}
		total.add(f)
		fmt.Printf("round %d: written=%d lost=%d\n", round, f.written, f.lost)
	}
	return total, nil
}

// round runs the writers to their end and compares what they acknowledged
// with what the transcript has.
func (s *stress) round(ctx context.Context, session string) (figure, error) {
	saved := make([][]string, s.writers)
	errs := make([]error, s.writers)
	var wg sync.WaitGroup
	for i := range s.writers {
		wg.Go(func() {
			var out []byte
			out, errs[i] = s.command(ctx, "run", "-session", session, "-name", fmt.Sprintf("worker-%d", i),
				"-agents", fmt.Sprint(s.agents), "-messages", fmt.Sprint(s.messages))
			for line := range strings.Lines(string(out)) {
				if id, ok := strings.CutPrefix(strings.TrimSpace(line), "saved "); ok {
					saved[i] = append(saved[i], id)
				}
			}
		})
	}
	wg.Wait()
	var f figure
	if err := errors.Join(errs...); err != nil {
		return f, err
	}
	kept := map[string]bool{}
	list, err := s.command(ctx, "list", "-session", session)
	if err != nil {
		f.torn = 1
	}
	for _, id := range strings.Fields(string(list)) {
		kept[id] = true
	}
	for _, ids := range saved {
		for _, id := range ids {
			f.written++
			if !kept[id] {
				f.lost++
			}
			delete(kept, id)
		}
	}
	f.phantom = len(kept)
	return f, nil
}

func (s *stress) command(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.program, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w\n%s", args[0], err, stderr.String())
	}
	return out.Bytes(), nil
}
