// Stress makes many tool calls of one session at the same time, each a
// gatestate process of its own for another file, until a file that was asked
// for is not checked afterwards.
//
//	go run ./stress
//
// Its last line is the figure:
//
//	written   files that a process asked for, and by that marked as checked
//	lost      of these, files that the session does not know as checked
//	torn      processes that could not read the state
//	phantom   checked files that nobody asked for
//
// It exits with 0 when nothing was lost, 1 when something was, and 2 when it
// could not run.
package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	program string
	dir     string
	calls   int
}

func main() {
	program := flag.String("program", "", "gatestate to run (default: built from the current directory)")
	rounds := flag.Int("rounds", 20, "rounds without a loss before it passes")
	timeout := flag.Duration("timeout", time.Minute, "give up after this time")
	calls := flag.Int("calls", 16, "tool calls at the same time")
	flag.Parse()

	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "gatestate-")
	if err != nil {
		fail(err)
	}
	s := &stress{*program, dir, *calls}
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
		s.program = filepath.Join(s.dir, "gatestate")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.program, ".").CombinedOutput(); err != nil {
			return total, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	for round := 1; round <= rounds && !total.broken(); round++ {
		f, err := s.round(ctx, fmt.Sprintf("session-%d", round))
		if err != nil {
			return total, fmt.Errorf("round %d: %w", round, err)
		}
		total.add(f)
		fmt.Printf("round %d: written=%d lost=%d\n", round, f.written, f.lost)
	}
	return total, nil
}

// round makes the calls and compares the answers with the list of checked files.
func (s *stress) round(ctx context.Context, session string) (figure, error) {
	state := filepath.Join(s.dir, "gate")
	asked := make([]bool, s.calls)
	errs := make([]error, s.calls)
	var wg sync.WaitGroup
	for i := range s.calls {
		wg.Go(func() {
			asked[i], errs[i] = s.check(ctx, state, session, file(i))
		})
	}
	wg.Wait()

	var f figure
	for _, err := range errs {
		if isTorn(err) {
			f.torn++
		} else if err != nil {
			return f, err
		}
	}
	list, err := s.command(ctx, nil, "list", "-state", state, "-session", session)
	if isTorn(err) {
		f.torn++
	} else if err != nil {
		return f, err
	}
	checked := map[string]bool{}
	for _, name := range strings.Fields(string(list)) {
		checked[name] = true
	}
	for i, asked := range asked {
		if !asked {
			continue
		}
		f.written++
		if !checked[file(i)] {
			f.lost++
		}
		delete(checked, file(i))
	}
	f.phantom = len(checked)
	return f, nil
}

func file(i int) string { return fmt.Sprintf("internal/server/handler_%02d.go", i) }

// check makes one tool call and reports whether the answer was to ask.
func (s *stress) check(ctx context.Context, state, session, file string) (bool, error) {
	call := fmt.Sprintf(`{"session_id": %q, "tool": "edit", "file": %q}`, session, file)
	out, err := s.command(ctx, []byte(call), "check", "-state", state)
	if err != nil {
		return false, err
	}
	var answer struct{ Decision string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return false, err
	}
	return answer.Decision == "ask", nil
}

// failure is a command that ended with an error.
type failure struct {
	command, stderr string
	err             error
}

func (f *failure) Error() string { return fmt.Sprintf("%s: %v\n%s", f.command, f.err, f.stderr) }

func isTorn(err error) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(f.stderr, "decode gate state")
}

func (s *stress) command(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.program, args...)
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.Bytes(), &failure{args[0], stderr.String(), err}
	}
	return out.Bytes(), nil
}
