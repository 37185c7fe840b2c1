// Stress lets workflows register and complete trajectories in one storage at
// the same time, as goroutines and as processes, until something is lost.
//
//	go run ./stress                       is the index ever torn, and emptied by that?
//	go run ./stress -scenario update      does each update survive?
//	go run ./stress -scenario malformed   is an index that was broken before left alone?
//
// The first scenario has two parts, register and complete, for the two ways
// in which the program writes its index. The trajectories that the storage had
// before the part began are the ones that must not get lost: every writer has
// seen them, so only a torn index makes anybody forget them.
//
// Its last line is the figure:
//
//	written   updates that a process acknowledged
//	lost      of these, the ones that the index does not have; in the first
//	          scenario only of those from before, and updates that failed
//	          because another process was writing
//	torn      times that a reader or a writer found the index empty, cut short or mixed
//	phantom   always 0
//
// It exits with 0 when nothing was lost or torn, 1 when something was, and 2
// when it could not run.
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
	"sync/atomic"
	"time"
)

type figure struct{ written, lost, torn int }

func (f *figure) add(g figure) { f.written += g.written; f.lost += g.lost; f.torn += g.torn }

func (f figure) broken() bool { return f.lost+f.torn > 0 }

type stress struct {
	program   string
	dir       string
	processes int
	base      int
}

// A part is one round of a scenario on a fresh storage.
type part struct {
	name string
	run  func(s *stress, ctx context.Context, dir string) (figure, error)
}

var scenarios = map[string][]part{
	"torn":      {{"register", (*stress).register}, {"complete", (*stress).complete}},
	"update":    {{"update", (*stress).update}},
	"malformed": {{"malformed", (*stress).malformed}},
}

func main() {
	scenario := flag.String("scenario", "torn", "torn, update or malformed")
	program := flag.String("program", "", "trajindex to run (default: built from the current directory)")
	rounds := flag.Int("rounds", 4, "rounds per part without a loss before it passes")
	timeout := flag.Duration("timeout", time.Minute, "give up after this time")
	processes := flag.Int("processes", 4, "processes that write the index at the same time")
	base := flag.Int("base", 48, "trajectories that the storage has before")
	flag.Parse()

	parts, ok := scenarios[*scenario]
	if !ok {
		fail(fmt.Errorf("unknown scenario %q", *scenario))
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "trajindex-")
	if err != nil {
		fail(err)
	}
	s := &stress{*program, dir, *processes, *base}
	total, err := s.run(ctx, parts, *rounds)
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

// run gives every part its rounds; a part is done at its first broken round.
func (s *stress) run(ctx context.Context, parts []part, rounds int) (figure, error) {
	var total figure
	if s.program == "" {
		s.program = filepath.Join(s.dir, "trajindex")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.program, ".").CombinedOutput(); err != nil {
			return total, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	for _, p := range parts {
		var sum figure
		round := 0
		for round < rounds && !sum.broken() {
			round++
			f, err := p.run(s, ctx, filepath.Join(s.dir, fmt.Sprintf("%s-%d", p.name, round)))
			if err != nil {
				return total, fmt.Errorf("%s: %w", p.name, err)
			}
			sum.add(f)
		}
		fmt.Printf("%-9s rounds=%d written=%d lost=%d torn=%d\n", p.name, round, sum.written, sum.lost, sum.torn)
		total.add(sum)
	}
	return total, nil
}

// register lets processes fan out while the index is read.
func (s *stress) register(ctx context.Context, dir string) (figure, error) {
	before, err := s.fill(ctx, dir)
	if err != nil {
		return figure{}, err
	}
	results, torn, err := s.race(ctx, dir, func(i int) []string { return s.fanout(dir, i) })
	if err != nil {
		return figure{}, err
	}
	f := figure{written: len(before), torn: torn}
	for _, r := range results {
		f.written += len(r.acknowledged)
		f.lost += r.refused()
	}
	return f, s.compare(ctx, dir, before, &f)
}

// complete lets processes complete what was registered, each its own share,
// while the index is read.
func (s *stress) complete(ctx context.Context, dir string) (figure, error) {
	before, err := s.fill(ctx, dir)
	if err != nil {
		return figure{}, err
	}
	results, torn, err := s.race(ctx, dir, func(i int) []string { return s.share(dir, before, i) })
	if err != nil {
		return figure{}, err
	}
	f := figure{written: len(before), torn: torn}
	for _, r := range results {
		f.written += len(r.acknowledged)
		f.lost += r.refused()
	}
	return f, s.compare(ctx, dir, before, &f)
}

// update lets half of the processes register and half complete, and counts
// every acknowledged update.
func (s *stress) update(ctx context.Context, dir string) (figure, error) {
	before, err := s.fill(ctx, dir)
	if err != nil {
		return figure{}, err
	}
	results, torn, err := s.race(ctx, dir, func(i int) []string {
		if i%2 == 0 {
			return s.fanout(dir, i)
		}
		return s.share(dir, before, i)
	})
	if err != nil {
		return figure{}, err
	}
	f := figure{torn: torn}
	want := before
	for _, r := range results {
		f.lost += r.refused()
		for id, status := range r.acknowledged {
			want[id] = status
		}
	}
	f.written = len(want)
	return f, s.compare(ctx, dir, want, &f)
}

// malformed breaks the index of a filled storage, registers one more
// trajectory and looks whether the broken index, from which somebody might
// still recover the old entries, was overwritten.
func (s *stress) malformed(ctx context.Context, dir string) (figure, error) {
	before, err := s.fill(ctx, dir)
	if err != nil {
		return figure{}, err
	}
	index := filepath.Join(dir, "index.json")
	if err := damage(index); err != nil {
		return figure{}, err
	}
	broken, err := os.ReadFile(index)
	if err != nil {
		return figure{}, err
	}
	s.command(ctx, "start", "-dir", dir)
	f := figure{written: len(before)}
	now, err := os.ReadFile(index)
	if err != nil || !bytes.Equal(now, broken) {
		f.lost = len(before)
	}
	return f, nil
}

// damage leaves the beginning of another index behind the one in the file.
func damage(index string) error {
	f, err := os.OpenFile(index, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("{\n  \"version\": 1,\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// fill registers the first trajectories, one after the other.
func (s *stress) fill(ctx context.Context, dir string) (map[string]string, error) {
	r := s.command(ctx, "fanout", "-dir", dir, "-workflow", "earlier", "-agents", "1", "-tasks", fmt.Sprint(s.base))
	if r.err != nil || len(r.acknowledged) != s.base {
		return nil, fmt.Errorf("first trajectories: %w\n%s", r.err, r.stderr)
	}
	return r.acknowledged, nil
}

func (s *stress) fanout(dir string, i int) []string {
	return []string{"fanout", "-dir", dir, "-workflow", fmt.Sprintf("workflow-%d", i), "-agents", "3", "-tasks", "5"}
}

// share returns the command that completes the i-th part of the trajectories.
func (s *stress) share(dir string, ids map[string]string, i int) []string {
	args := []string{"complete", "-dir", dir}
	for id := range ids {
		if shareOf(id, s.processes) == i {
			args = append(args, id)
		}
	}
	return args
}

func shareOf(id string, shares int) int {
	sum := 0
	for _, c := range id {
		sum += int(c)
	}
	return sum % shares
}

// race runs the processes together and reads the index until they have ended.
func (s *stress) race(ctx context.Context, dir string, args func(i int) []string) ([]result, int, error) {
	var stop atomic.Bool
	var torn atomic.Int64
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				data, err := os.ReadFile(filepath.Join(dir, "index.json"))
				if err != nil || !json.Valid(data) {
					torn.Add(1)
				}
			}
		})
	}
	results := make([]result, s.processes)
	for i := range results {
		writers.Go(func() { results[i] = s.command(ctx, args(i)...) })
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
	for _, r := range results {
		torn.Add(int64(r.torn()))
	}
	return results, int(torn.Load()), ctx.Err()
}

// compare adds to f.lost what the index does not have of want, or does not
// know as completed.
func (s *stress) compare(ctx context.Context, dir string, want map[string]string, f *figure) error {
	r := s.command(ctx, "list", "-dir", dir)
	if r.err != nil && r.torn() == 0 {
		return fmt.Errorf("list: %w\n%s", r.err, r.stderr)
	}
	f.torn += r.torn()
	have := map[string]string{}
	for line := range strings.Lines(r.stdout) {
		if fields := strings.Fields(line); len(fields) >= 2 {
			have[fields[0]] = fields[1]
		}
	}
	for id, status := range want {
		got, ok := have[id]
		if !ok || status == "completed" && got != "completed" {
			f.lost++
		}
	}
	return nil
}

// result is how one command ended: the identifiers that it acknowledged, each
// with its status.
type result struct {
	acknowledged   map[string]string
	stdout, stderr string
	err            error
}

// torn counts the complaints about an index that could not be decoded.
func (r result) torn() int { return strings.Count(r.stderr, "cannot decode") }

// refused is 1 when the command failed although the index was in order.
func (r result) refused() int {
	if r.err != nil && r.torn() == 0 {
		return 1
	}
	return 0
}

func (s *stress) command(ctx context.Context, args ...string) result {
	cmd := exec.CommandContext(ctx, s.program, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	r := result{acknowledged: map[string]string{}}
	if err := cmd.Run(); err != nil {
		r.err = errors.Join(err, ctx.Err())
	}
	r.stdout, r.stderr = out.String(), stderr.String()
	for line := range strings.Lines(r.stdout) {
		if id, ok := strings.CutPrefix(line, "started "); ok {
			r.acknowledged[strings.TrimSpace(id)] = "active"
		}
		if id, ok := strings.CutPrefix(line, "completed "); ok {
			r.acknowledged[strings.TrimSpace(id)] = "completed"
		}
	}
	return r
}
