// Stress holds a conversation whose turns are interrupted while the agent still
// records other things, and compares what the running agent
// believes with what a restarted one would read from the file.
//
//	go run ./stress
//
// Its last line is the figure:
//
//	written   changes that were acknowledged
//	lost      messages and checkpoints that the file has and memory has not
//	torn      times that the file could not be read
//	phantom   messages, checkpoints and token counts that memory has and the file has not
//
// It exits with 0 when memory and file agree, 1 when they do not, and 2 when
// it could not run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/ctxfile/internal/conversation"
)

type figure struct{ written, lost, torn, phantom int }

func (f *figure) add(g figure) {
	f.written += g.written
	f.lost += g.lost
	f.torn += g.torn
	f.phantom += g.phantom
}

func (f figure) broken() bool { return f.lost+f.torn+f.phantom > 0 }

// A call changes the conversation; n tells its values apart.
type call func(ctx context.Context, c *conversation.Context, n int) error

func appendTurn(ctx context.Context, c *conversation.Context, n int) error {
	return c.Append(ctx, message(n, "user"), message(n, "assistant"))
}

func checkpoint(ctx context.Context, c *conversation.Context, n int) error {
	_, err := c.Checkpoint(ctx)
	return err
}

func usage(ctx context.Context, c *conversation.Context, n int) error {
	return c.UpdateTokenCount(ctx, 1+n)
}

func clearAll(ctx context.Context, c *conversation.Context, n int) error {
	return c.Clear(ctx)
}

// A change is the call that gets interrupted, and those that the agent goes on
// making beside it, each in a goroutine of its own.
type change struct {
	name   string
	make   call
	beside []call
}

var changes = []change{
	{"append", appendTurn, []call{usage, usage, usage, usage}},
	{"checkpoint", checkpoint, []call{usage, usage, usage, usage}},
	{"usage", usage, []call{appendTurn, checkpoint}},
	{"clear", clearAll, []call{usage, usage, usage, usage}},
}

func main() {
	rounds := flag.Int("rounds", 5, "rounds per kind of change without a loss before it passes")
	turns := flag.Int("turns", 20, "interrupted turns per round")
	timeout := flag.Duration("timeout", time.Minute, "give up after this time")
	flag.Parse()

	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "ctxfile-")
	if err != nil {
		fail(err)
	}
	total, err := run(ctx, dir, *rounds, *turns)
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

// run gives each kind of change its rounds; it is done at its first broken round.
func run(ctx context.Context, dir string, rounds, turns int) (figure, error) {
	var total figure
	for _, ch := range changes {
		var sum figure
		round := 0
		for round < rounds && !sum.broken() {
			round++
			f, err := runRound(ctx, ch, filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", ch.name, round)), turns)
			if err != nil {
				return total, fmt.Errorf("%s: %w", ch.name, err)
			}
			sum.add(f)
		}
		fmt.Printf("%-10s rounds=%d written=%d lost=%d phantom=%d\n", ch.name, round, sum.written, sum.lost, sum.phantom)
		total.add(sum)
	}
	return total, nil
}

// runRound begins a conversation, interrupts turns that make the change, and compares.
func runRound(ctx context.Context, ch change, path string, turns int) (figure, error) {
	var f figure
	c, err := conversation.Open(path)
	if err != nil {
		return f, err
	}
	if err := begin(ctx, c); err != nil {
		return f, err
	}
	for n := range turns {
		acknowledged, err := interruptedTurn(ctx, c, ch, n)
		if err != nil {
			return f, err
		}
		f.written += acknowledged
		if err := compare(ctx, c, path, &f); err != nil || f.broken() {
			return f, err
		}
		// A cleared conversation needs something to lose again.
		if err := begin(ctx, c); err != nil {
			return f, err
		}
	}
	return f, nil
}

func begin(ctx context.Context, c *conversation.Context) error {
	for n := range 3 {
		if err := c.Append(ctx, message(n, "user")); err != nil {
			return err
		}
	}
	_, err := c.Checkpoint(ctx)
	return err
}

// interruptedTurn makes the change while the calls beside it go on, and
// interrupts it after a moment. It returns when nobody uses the conversation
// any more.
func interruptedTurn(ctx context.Context, c *conversation.Context, ch change, n int) (acknowledged int, err error) {
	turn, interrupt := context.WithCancel(ctx)
	defer interrupt()

	var done atomic.Bool
	var count atomic.Int64
	begun := make(chan struct{}, len(ch.beside))
	errs := make([]error, len(ch.beside))
	var wg sync.WaitGroup
	for i, beside := range ch.beside {
		wg.Go(func() {
			for k := 0; !done.Load() || k == 0; k++ {
				if errs[i] = beside(ctx, c, n*1000+i*100+k); errs[i] != nil {
					break
				}
				count.Add(1)
				if k == 0 {
					begun <- struct{}{}
				}
			}
		})
	}
	select {
	case <-begun:
	case <-ctx.Done():
	}
	wg.Go(func() {
		time.Sleep(time.Duration(rand.IntN(400)) * time.Microsecond)
		interrupt()
	})
	changed := ch.make(turn, c, 1_000_000+n)
	done.Store(true)
	wg.Wait()
	if changed == nil {
		count.Add(1)
	} else if !errors.Is(changed, context.Canceled) {
		errs = append(errs, changed)
	}
	return int(count.Load()), errors.Join(errs...)
}

// compare adds to f where memory and a conversation restored from the file differ.
func compare(ctx context.Context, c *conversation.Context, path string, f *figure) error {
	memory, err := c.State(ctx)
	if err != nil {
		return err
	}
	restarted, err := conversation.Open(path)
	if err != nil {
		f.torn++
		return nil
	}
	file, err := restarted.State(ctx)
	if err != nil {
		return err
	}
	f.phantom += missing(memory.Messages, file.Messages) + max(0, memory.NextCheckpoint-file.NextCheckpoint)
	f.lost += missing(file.Messages, memory.Messages) + max(0, file.NextCheckpoint-memory.NextCheckpoint)
	if memory.TokenCount != file.TokenCount {
		f.phantom++
	}
	return nil
}

// missing counts the messages of a that b has not, each as often as it occurs.
func missing(a, b []conversation.Message) int {
	count := map[string]int{}
	for _, m := range b {
		count[m.ID]++
	}
	n := 0
	for _, m := range a {
		if count[m.ID]--; count[m.ID] < 0 {
			n++
		}
	}
	return n
}

var messages struct {
	sync.Mutex
	last int
}

func message(n int, role string) conversation.Message {
	messages.Lock()
	defer messages.Unlock()
	messages.last++
	return conversation.Message{
		ID:   fmt.Sprintf("%s-%d-%d", role, n, messages.last),
		Role: role,
		Text: strings.Repeat("The agent reads a file and explains what it found. ", 40),
		At:   time.Now().UTC(),
	}
}
