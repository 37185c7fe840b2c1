package conversation

import (
	"context"
	"path/filepath"
	"testing"
)

func TestAppendAndResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "context.jsonl")
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := c.Append(ctx, Message{ID: "1", Role: "user", Text: "Hello"}); err != nil {
		t.Fatal(err)
	}
	if err := c.UpdateTokenCount(ctx, 12); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	state, err := again.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Messages) != 1 || state.TokenCount != 12 || state.NextCheckpoint != 1 {
		t.Errorf("resumed as %+v", state)
	}
	if err := again.Clear(ctx); err != nil {
		t.Fatal(err)
	}
}
