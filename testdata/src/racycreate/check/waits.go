package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience says how long one waits.
type patience struct{ left int }

func (p *patience) more(ctx context.Context) bool {
	p.left--
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Second):
	}
	return p.left > 0
}

// turnstile asks again until the file is gone, in a way of its own.
type turnstile struct {
	path string
	wait *patience
}

func (t *turnstile) Acquire(ctx context.Context) error {
	for isHeld(t.path) {
		if t.wait.more(ctx) {
			continue
		}
		if err := t.clear(); err != nil {
			return err
		}
	}
	return os.WriteFile(t.path, nil, 0o600) // want `\(\*turnstile\).Acquire asks for t.path before it makes it`
}

// Release gives it up.
func (t *turnstile) Release() error { return t.clear() }

func (t *turnstile) clear() error {
	if err := os.Remove(t.path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// isHeld opens the file to see whether it is there.
func isHeld(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// freeName looks for a name that is free, and leaves the file to its caller.
func freeName(dir, kind string) string {
	for i := 0; ; i++ {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d.json", kind, i))
		if _, err := os.Stat(name); os.IsNotExist(err) {
			return name
		}
	}
}

func saveAs(dir, kind string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(freeName(dir, kind), data, 0o600) // want `saveAs asks whether a name in dir is free before it makes the file`
}

// someName gives up where too many names are taken.
func someName(dir, kind string) (string, error) {
	for i := range 100 {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d.json", kind, i))
		if _, err := os.Stat(name); os.IsNotExist(err) {
			return name, nil
		}
	}
	return "", errors.New("too many")
}

// exclusively makes sure that it is the one that has the name.
func exclusively(dir, kind string) (*os.File, error) {
	for {
		name, err := someName(dir, kind)
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // ok: it fails where another has it
		if !os.IsExist(err) {
			return f, err
		}
	}
}

// takeSeat writes over the file of one that has ended, as two can do.
func takeSeat(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprint(f, os.Getpid())
		return f.Close()
	}
	data, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && syscall.Kill(pid, 0) == nil {
		return fmt.Errorf("the lock is held by %d", pid)
	}
	return os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600) // want `takeSeat writes its own into lock where it takes that for stale`
}
