package cancellable

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// A diary is kept by one goroutine at a time, which has the token.
type diary struct {
	path  string
	token chan struct{}
	lines []string
	next  int
}

func newDiary(dir string) *diary {
	d := &diary{path: filepath.Join(dir, "diary.json"), token: make(chan struct{}, 1)}
	d.token <- struct{}{}
	return d
}

// take waits for the token.
func (d *diary) take(ctx context.Context) error {
	select {
	case <-d.token:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *diary) give() { d.token <- struct{}{} }

func (d *diary) write(ctx context.Context, line string) error {
	d.lines = append(d.lines, line) // want `\(\*diary\).write changes d.lines before it waits for d.token: if the wait is given up here, memory keeps the change`
	if err := d.take(ctx); err != nil {
		return err
	}
	defer d.give()
	return d.save()
}

// mark reads the number that it changes: both move.
func (d *diary) mark(ctx context.Context) (int, error) {
	n := d.next
	d.next++ // want `\(\*diary\).mark changes d.next before it waits for d.token`

	err := d.take(ctx)
	if err != nil {
		return 0, err
	}
	defer d.give()

	return n, d.save()
}

// number tells the number in its error: it cannot move.
func (d *diary) number(ctx context.Context) (int, error) {
	n := d.next
	d.next = n + 1 // want `\(\*diary\).number changes d.next before it waits for d.token.*no fix: n is used before the lock is had`
	if err := d.take(ctx); err != nil {
		return n, err
	}
	defer d.give()
	return n, d.save()
}

// erase waits by itself.
func (d *diary) erase(ctx context.Context) error {
	d.lines = nil // want `\(\*diary\).erase changes d.lines before it waits for d.token`
	d.next = 0    // want `\(\*diary\).erase changes d.next before it waits for d.token`
	select {
	case <-d.token:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.token <- struct{}{} }()
	return d.save()
}

func (d *diary) tail(ctx context.Context) (string, int, error) {
	if err := d.take(ctx); err != nil {
		return "", 0, err
	}
	defer d.give()
	return d.lines[len(d.lines)-1], d.next, nil
}

func (d *diary) pop(ctx context.Context) error {
	if err := d.take(ctx); err != nil {
		return err
	}
	defer d.give()
	d.lines = d.lines[:len(d.lines)-1]
	d.next--
	return d.save()
}

func (d *diary) save() error {
	data, err := json.Marshal(map[string]any{"lines": d.lines, "next": d.next})
	if err != nil {
		return err
	}
	return safeio.WriteFile(d.path, data, 0o600)
}
