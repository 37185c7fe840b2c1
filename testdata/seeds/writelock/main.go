// Writelock runs the agents of a session, which write to one transcript.
//
//	writelock run  -session chat.json -name worker-1 -agents 2 -messages 20
//	writelock list -session chat.json
//
// Several processes may run agents of the same session.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/writelock/internal/lock"
	"example.com/writelock/internal/transcript"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "writelock:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: writelock run|list [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	session := flags.String("session", "session.json", "transcript file")
	name := flags.String("name", "local", "name of this process in the transcript")
	agents := flags.Int("agents", 2, "agents that work at the same time")
	messages := flags.Int("messages", 1, "messages that each agent writes")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	path, err := filepath.Abs(*session)
	if err != nil {
		return err
	}
	switch args[0] {
	case "run":
		return runAgents(ctx, path, *name, *agents, *messages, out)
	case "list":
		return list(path, out)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

// runAgents prints the identifier of each entry that the transcript has taken.
func runAgents(ctx context.Context, path, name string, agents, messages int, out io.Writer) error {
	locks := lock.NewRegistry()
	defer locks.Wait()

	errs := make([]error, agents)
	var wg sync.WaitGroup
	for i := range agents {
		wg.Go(func() {
			agent := fmt.Sprintf("%s/%d", name, i)
			for n := range messages {
				id := fmt.Sprintf("%s/%d", agent, n)
				if err := say(ctx, locks, path, agent, id); err != nil {
					errs[i] = err
					return
				}
				fmt.Fprintf(out, "saved %s\n", id)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// say adds one message to the transcript under the session's write lock.
func say(ctx context.Context, locks *lock.Registry, path, agent, id string) error {
	l, err := locks.Acquire(ctx, path)
	if err != nil {
		return err
	}
	defer l.Release()
	return transcript.Append(path, transcript.Entry{
		ID:    id,
		Agent: agent,
		Text:  strings.Repeat("The tool returned a result that goes into the transcript. ", 8),
		At:    time.Now().UTC(),
	})
}

func list(path string, out io.Writer) error {
	entries, err := transcript.Load(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fmt.Fprintln(out, e.ID)
	}
	return nil
}
