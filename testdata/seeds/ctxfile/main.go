// Ctxfile is a chat that can be left and resumed.
//
//	ctxfile -file context.jsonl
//
// Each line of standard input is a turn; an interrupt ends the turn, not the
// chat. The lines /checkpoint, /revert N, /clear and /status are commands.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/ctxfile/internal/conversation"
)

func main() {
	file := flag.String("file", "context.jsonl", "file of the conversation")
	flag.Parse()
	if err := chat(*file, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ctxfile:", err)
		os.Exit(1)
	}
}

func chat(file string, in io.Reader, out io.Writer) error {
	c, err := conversation.Open(file)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		err := handle(ctx, c, lines.Text(), out)
		stop()
		if errors.Is(err, context.Canceled) {
			fmt.Fprintln(out, "interrupted")
			continue
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

// handle runs one command or one turn.
func handle(ctx context.Context, c *conversation.Context, line string, out io.Writer) error {
	command, argument, _ := strings.Cut(line, " ")
	switch command {
	case "/checkpoint":
		id, err := c.Checkpoint(ctx)
		if err == nil {
			fmt.Fprintln(out, "checkpoint", id)
		}
		return err
	case "/revert":
		id, err := strconv.Atoi(argument)
		if err != nil {
			return fmt.Errorf("revert: %w", err)
		}
		return c.Revert(ctx, id)
	case "/clear":
		return c.Clear(ctx)
	case "/status":
		state, err := c.State(ctx)
		if err == nil {
			fmt.Fprintf(out, "%d messages, %d tokens, next checkpoint %d\n",
				len(state.Messages), state.TokenCount, state.NextCheckpoint)
		}
		return err
	}
	return turn(ctx, c, line, out)
}

// turn answers a line. The usage that the model reports is recorded beside the answer.
func turn(ctx context.Context, c *conversation.Context, line string, out io.Writer) error {
	if err := c.Append(ctx, message("user", line)); err != nil {
		return err
	}
	answer, tokens := respond(line)
	var usage error
	var wg sync.WaitGroup
	wg.Go(func() { usage = c.UpdateTokenCount(ctx, tokens) })
	err := c.Append(ctx, message("assistant", answer))
	wg.Wait()
	if err := errors.Join(err, usage); err != nil {
		return err
	}
	fmt.Fprintln(out, answer)
	return nil
}

func message(role, text string) conversation.Message {
	return conversation.Message{ID: rand.Text(), Role: role, Text: text, At: time.Now().UTC()}
}

// respond stands for the model.
func respond(line string) (answer string, tokens int) {
	words := strings.Fields(line)
	return fmt.Sprintf("You said %d words.", len(words)), len(words) * 4 / 3
}
