package lock

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestAcquireAndRelease(t *testing.T) {
	r := NewRegistry()
	session := filepath.Join(t.TempDir(), "session.json")
	for range 2 {
		l, err := r.Acquire(context.Background(), session)
		if err != nil {
			t.Fatal(err)
		}
		l.Release()
		r.Wait()
	}
	if _, err := os.Stat(session + ".lock"); !os.IsNotExist(err) {
		t.Errorf("the lock file is left behind: %v", err)
	}
}

// Two agents of one process take turns.
func TestTwoAgents(t *testing.T) {
	r := NewRegistry()
	session := filepath.Join(t.TempDir(), "session.json")
	first, err := r.Acquire(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() {
		l, err := r.Acquire(context.Background(), session)
		if err == nil {
			l.Release()
		}
		second <- err
	}()
	first.Release()
	if err := <-second; err != nil {
		t.Error(err)
	}
	r.Wait()
}

// A lock file that an earlier process of the same number has left is replaced.
func TestOrphaned(t *testing.T) {
	r := NewRegistry()
	session := filepath.Join(t.TempDir(), "session.json")
	left, err := json.Marshal(owner{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(session+".lock", left, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := r.Acquire(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	r.Wait()
}
