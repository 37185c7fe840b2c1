// Package conversation keeps the context of an agent: the messages so far, the
// tokens that they take and the checkpoints to which it can return. All of it
// is in memory while the agent runs, and in a file of one JSON record per line
// from which the next run resumes.
package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// Message is one contribution to the conversation.
type Message struct {
	ID   string    `json:"id"`
	Role string    `json:"role"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// State is a copy of what a context holds.
type State struct {
	Messages       []Message
	TokenCount     int
	NextCheckpoint int
}

// Context is the conversation of one agent. Its methods may be called by
// several goroutines; those that take a context.Context give up when it ends.
type Context struct {
	path    string
	writing chan struct{} // holds one value while somebody has the conversation

	history        []Message
	tokenCount     int
	nextCheckpoint int
}

// record is a line of the file: a message, or one of the records below.
type record struct {
	Role       string   `json:"role"`
	Message    *Message `json:"message,omitempty"`
	TokenCount int      `json:"token_count,omitempty"`
	Checkpoint int      `json:"checkpoint,omitempty"`
}

const (
	roleMessage    = "message"
	roleUsage      = "_usage"
	roleCheckpoint = "_checkpoint"
)

// Open resumes the conversation in the file at path, or begins one.
func Open(path string) (*Context, error) {
	records, err := readRecords(path)
	if err != nil {
		return nil, err
	}
	state := replay(records)
	return &Context{
		path:           path,
		writing:        make(chan struct{}, 1),
		history:        state.Messages,
		tokenCount:     state.TokenCount,
		nextCheckpoint: state.NextCheckpoint,
	}, nil
}

// Append adds messages to the conversation.
func (c *Context) Append(ctx context.Context, messages ...Message) error {
	c.history = append(c.history, messages...)

	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()

	records := make([]record, len(messages))
	for i := range messages {
		records[i] = record{Role: roleMessage, Message: &messages[i]}
	}
	return c.appendRecords(records...)
}

// Checkpoint marks a point to which the conversation can return, and returns its number.
func (c *Context) Checkpoint(ctx context.Context) (int, error) {
	id := c.nextCheckpoint
	c.nextCheckpoint++

	if err := c.lock(ctx); err != nil {
		return 0, err
	}
	defer c.unlock()

	return id, c.appendRecords(record{Role: roleCheckpoint, Checkpoint: id})
}

// UpdateTokenCount sets the number of tokens that the conversation takes.
func (c *Context) UpdateTokenCount(ctx context.Context, tokens int) error {
	c.tokenCount = tokens

	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()

	return c.appendRecords(record{Role: roleUsage, TokenCount: tokens})
}

// Clear begins the conversation again. The old file is kept beside the new one.
func (c *Context) Clear(ctx context.Context) error {
	c.history = nil
	c.tokenCount = 0
	c.nextCheckpoint = 0

	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()

	return c.rotate()
}

// Revert returns to a checkpoint: what was said after it is taken back.
func (c *Context) Revert(ctx context.Context, checkpoint int) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()

	if checkpoint < 0 || checkpoint >= c.nextCheckpoint {
		return fmt.Errorf("no checkpoint %d", checkpoint)
	}
	records, err := readRecords(c.path)
	if err != nil {
		return err
	}
	end := slices.IndexFunc(records, func(r record) bool {
		return r.Role == roleCheckpoint && r.Checkpoint == checkpoint
	})
	if end < 0 {
		return fmt.Errorf("checkpoint %d is not in %s", checkpoint, c.path)
	}
	if err := c.rotate(); err != nil {
		return err
	}
	state := replay(records[:end])
	c.history = state.Messages
	c.tokenCount = state.TokenCount
	c.nextCheckpoint = state.NextCheckpoint
	return c.appendRecords(records[:end]...)
}

// State returns a copy of the conversation.
func (c *Context) State(ctx context.Context) (State, error) {
	if err := c.lock(ctx); err != nil {
		return State{}, err
	}
	defer c.unlock()
	return State{slices.Clone(c.history), c.tokenCount, c.nextCheckpoint}, nil
}

// lock waits until nobody else has the conversation, or until ctx ends.
func (c *Context) lock(ctx context.Context) error {
	select {
	case c.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Context) unlock() { <-c.writing }

// replay returns the state that the records lead to.
func replay(records []record) State {
	var state State
	for _, r := range records {
		switch r.Role {
		case roleMessage:
			state.Messages = append(state.Messages, *r.Message)
		case roleUsage:
			state.TokenCount = r.TokenCount
		case roleCheckpoint:
			state.NextCheckpoint = r.Checkpoint + 1
		}
	}
	return state
}

// appendRecords adds records to the file with one write. The caller has the conversation.
func (c *Context) appendRecords(records ...record) error {
	var lines []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode %s record: %w", r.Role, err)
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(lines); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
