// Trajindex records what the agents of a workflow do, in trajectories.
//
//	trajindex start    -dir .trajectories -title "Fix login" -agent lead
//	trajindex fanout   -dir .trajectories -workflow release -agents 4 -tasks 3
//	trajindex complete -dir .trajectories ID...
//	trajindex list     -dir .trajectories
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"

	"example.com/trajindex/internal/storage"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("trajindex: ")
	if err := run(os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: trajindex start|fanout|complete|list [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	dir := flags.String("dir", ".trajectories", "directory of the trajectories")
	title := flags.String("title", "untitled", "title of the trajectory to start")
	agent := flags.String("agent", "lead", "agent that starts it")
	workflow := flags.String("workflow", "", "workflow of the agents")
	agents := flags.Int("agents", 3, "agents that the workflow starts at the same time")
	tasks := flags.Int("tasks", 1, "tasks that each of them takes")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	store, err := storage.Open(*dir)
	if err != nil {
		return err
	}
	switch args[0] {
	case "start":
		return start(store, storage.NewTrajectory(*title, *agent, *workflow), out)
	case "fanout":
		return fanout(store, *workflow, *agents, *tasks, out)
	case "complete":
		return complete(store, flags.Args(), out)
	case "list":
		return list(store, out)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

// start registers a trajectory and prints its identifier.
func start(store *storage.FileStorage, t *storage.Trajectory, out io.Writer) error {
	if err := store.Save(t); err != nil {
		return err
	}
	fmt.Fprintln(out, "started", t.ID)
	return nil
}

// fanout runs the agents of a workflow, each of which registers its tasks.
func fanout(store *storage.FileStorage, workflow string, agents, tasks int, out io.Writer) error {
	errs := make([]error, agents)
	var wg sync.WaitGroup
	for i := range agents {
		wg.Go(func() {
			agent := fmt.Sprintf("agent-%d", i)
			for task := range tasks {
				t := storage.NewTrajectory(fmt.Sprintf("%s: task %d of %s", workflow, task, agent), agent, workflow)
				t.Summary = strings.Repeat("Reads the code, changes it and runs its tests. ", 12)
				if err := start(store, t, out); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func complete(store *storage.FileStorage, ids []string, out io.Writer) error {
	for _, id := range ids {
		if err := store.Complete(id); err != nil {
			return err
		}
		fmt.Fprintln(out, "completed", id)
	}
	return nil
}

func list(store *storage.FileStorage, out io.Writer) error {
	trajectories, err := store.List()
	if err != nil {
		return err
	}
	for _, t := range trajectories {
		fmt.Fprintf(out, "%s %s %s\n", t.ID, t.Status, t.Title)
	}
	return nil
}
