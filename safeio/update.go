package safeio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Update replaces the content of the named file by what change makes of it,
// while no other Update, in this process or another, and no holder of [Lock]
// can. change gets the newest content: nil if the file does not exist, an
// empty slice that is not nil if it is empty. What change returns is written
// as by [WriteFile], with all promises of that: whole, durable, mode kept,
// perm less the umask for a new file.
//
// A result equal to the old content is not written, nor is nil for a file that
// does not exist. (nil for one that exists makes it empty.) If change fails,
// nothing is written and its error is returned as it is. Any other error is a
// *fs.PathError or *os.LinkError; if it matches [ErrPublished] the change is
// in place, otherwise nothing of it is, unless the file had to be rewritten
// in place.
//
// Calls of one process that wait for the same file are served in the order of
// their arrival, each change seeing the result of the one before, and up to
// 64 of them are written together, with one sync. All of these get the error
// if the write fails. A change that fails, panics or calls
// [runtime.Goexit] does so in the goroutine of its own caller, and the others
// are served as if it had not been there; but what it saw, and perhaps failed
// over, may be a change that then could not be written.
//
// change is called once or, if the file cannot be locked or read, not at all.
// It should be quick: others wait for it, some of them with their change
// already made. It owns the slice that it gets, and may keep what it
// returns. It must not call Update or Lock for the same file, directly or by
// waiting for someone who does: that is a deadlock. If two files must be
// updated one within the other, do so in the same order everywhere.
//
// A special file, a file of the kernel or a directory is refused, with an error that matches
// [ErrNotAtomic] or is that of package os; with [Options].Strict it matches ErrNotAtomic
// in any case.
//
// What is not guaranteed: a plain writer (os.WriteFile, an editor, WriteFile)
// takes no lock, so its content can be lost, whole, if it comes between the
// reading and the writing. A result that is not written is not synced either:
// nil then does not say that the content survives a power cut, unless the
// write that it came from was an Update of this process. (After an error
// that matches ErrPublished, the next Update writes in any case.)
func Update(name string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error {
	return Options{}.Update(name, perm, change)
}

// UpdateContext is [Update] that stops waiting when ctx is done. Nothing of
// the change has happened then, and the error matches ctx.Err() and
// [context.Cause]. Once change has been called, ctx has no more say: the
// change is seen through to its end.
func UpdateContext(ctx context.Context, name string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error {
	return Options{}.UpdateContext(ctx, name, perm, change)
}

// Update is [Update] with options.
func (o Options) Update(name string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error {
	return o.UpdateContext(context.Background(), name, perm, change)
}

// UpdateContext is [UpdateContext] with options. The perm of a call that is
// written together with others may be that of another one.
func (o Options) UpdateContext(ctx context.Context, name string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error {
	t, err := locate(name)
	if err != nil {
		return err
	}
	if t.special || t.isPseudo() {
		if o.Strict {
			return t.refuse(nil)
		}
		return t.unfit("update")
	}
	c := &call{
		ctx: ctx, opts: o, target: t, perm: perm, change: change,
		turn: make(chan *batch, 1), written: make(chan error, 1),
	}
	b, err := c.wait()
	if err != nil {
		return err
	}
	pending, err := b.serve(c)
	if pending {
		return <-c.written
	}
	return err
}

// A call is one caller of Update.
type call struct {
	ctx    context.Context
	opts   Options
	target target
	perm   fs.FileMode
	change func([]byte) ([]byte, error)

	turn    chan *batch // receives once, when it is the call's turn
	written chan error  // receives once, when the batch is written
}

// An updateQueue holds the calls that wait for one file. As long as it is in
// updates.queues, exactly one call has the turn, and with it the duty to pass
// it on.
type updateQueue struct {
	key     string
	file    string  // target.key
	waiting []*call // oldest first
}

// updates are the updates under way in this process.
var updates = struct {
	sync.Mutex
	queues map[string]*updateQueue

	// doubts are the files, by target.key, whose last write ended with ErrPublished: their
	// content may not be durable, so it is not enough to find it unchanged.
	doubts map[string]bool
}{queues: map[string]*updateQueue{}, doubts: map[string]bool{}}

// wait returns when it is the turn of c, or with an error when its context is
// done.
func (c *call) wait() (*batch, error) {
	q := c.join(c.opts.group()+c.target.key(), c.target.key())
	select {
	case b := <-c.turn:
		return b, nil
	case <-c.ctx.Done():
	}
	if q.leave(c) {
		return nil, c.cancelled()
	}
	return <-c.turn, nil // it came in the same moment, and has to be passed on
}

// join puts c at the end of the queue for key. The first has the turn at once.
func (c *call) join(key, file string) *updateQueue {
	updates.Lock()
	defer updates.Unlock()
	q := updates.queues[key]
	if q != nil {
		q.waiting = append(q.waiting, c)
		return q
	}
	q = &updateQueue{key: key, file: file}
	updates.queues[key] = q
	c.turn <- &batch{queue: q}
	return q
}

// leave reports whether c was still waiting; then it no longer does.
func (q *updateQueue) leave(c *call) bool {
	updates.Lock()
	defer updates.Unlock()
	for i, w := range q.waiting {
		if w == c {
			copy(q.waiting[i:], q.waiting[i+1:])
			q.waiting[len(q.waiting)-1] = nil
			q.waiting = q.waiting[:len(q.waiting)-1]
			return true
		}
	}
	return false
}

// hand gives b to the call that has waited longest, if there is one.
func (q *updateQueue) hand(b *batch) bool {
	updates.Lock()
	defer updates.Unlock()
	return q.handLocked(b)
}

func (q *updateQueue) handLocked(b *batch) bool {
	if len(q.waiting) == 0 {
		return false
	}
	next := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	next.turn <- b
	return true
}

// next starts the next batch, or drops the queue if nobody waits.
func (q *updateQueue) next() {
	updates.Lock()
	defer updates.Unlock()
	if !q.handLocked(&batch{queue: q}) {
		delete(updates.queues, q.key)
	}
}

func (q *updateQueue) doubted() bool {
	updates.Lock()
	defer updates.Unlock()
	return updates.doubts[q.file]
}

// doubtAfter takes note of how a write ended.
func (q *updateQueue) doubtAfter(err error) {
	updates.Lock()
	defer updates.Unlock()
	switch {
	case err == nil:
		delete(updates.doubts, q.file)
	case errors.Is(err, ErrPublished):
		updates.doubts[q.file] = true
	}
}

// Bounds of a batch, after which other processes have their turn. The second
// is for slow changes, which gain little from a common sync.
const (
	maxBatch  = 64
	batchTime = 100 * time.Millisecond
)

// A batch is the changes that are made under one lock and written at once. It
// belongs to the call that has the turn; the first one acquires the lock, the
// last one writes.
type batch struct {
	queue  *updateQueue
	held   *Held   // nil until the file is locked and read
	opts   Options // of the call that took the lock, like target
	target target
	since  time.Time // when the lock was acquired
	served int       // calls so far

	was      []byte  // what the file holds; nil if it does not exist
	now      []byte  // with the changes
	borrowed bool    // now is the slice of a caller, who waits for it to be written
	doubt    bool    // whether the file is among updates.doubts
	pending  []*call // whose result depends on now being written
}

// serve makes the change of c, whose turn it is, and passes the turn on. If c
// is pending, its error is yet to come.
func (b *batch) serve(c *call) (pending bool, err error) {
	defer b.pass() // also if change panics or ends the goroutine
	if b.held == nil {
		if err := b.begin(c); err != nil {
			return false, err
		}
	}
	if c.ctx.Err() != nil {
		return false, c.cancelled()
	}
	b.served++
	if b.borrowed {
		b.now, b.borrowed = bytes.Clone(b.now), false
	}
	result, err := c.change(bytes.Clone(b.now))
	if err != nil {
		return false, err
	}
	if result == nil && b.now != nil {
		result = []byte{}
	}
	b.now, b.borrowed = result, true
	if b.unchanged() {
		b.now, b.borrowed = b.was, false
		return false, nil
	}
	b.pending = append(b.pending, c)
	return true, nil
}

// begin locks and reads the file for c and those that come after it.
func (b *batch) begin(c *call) error {
	held, err := c.lock()
	if err != nil {
		return err
	}
	b.was, err = c.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		held.Unlock()
		return err
	}
	b.held, b.since = held, time.Now()
	b.opts, b.target = c.opts, c.target
	b.now = b.was
	b.doubt = b.queue.doubted()
	return nil
}

func (c *call) read() ([]byte, error) {
	if err := c.opts.at("read"); err != nil {
		return nil, c.target.wrap("read", err)
	}
	data, _, err := c.target.read()
	return data, err
}

// lock locks the path that was found when the call came, which is the one
// that will be read and written, wherever the name leads by then.
func (c *call) lock() (*Held, error) {
	if c.ctx.Err() != nil {
		return nil, c.cancelled()
	}
	if err := c.opts.at("lock"); err != nil {
		return nil, c.target.wrap("lock", err)
	}
	held, err := c.opts.quiet().LockContext(c.ctx, c.target.path)
	switch {
	case err == nil:
		return held, nil
	case c.ctx.Err() != nil && (errors.Is(err, c.ctx.Err()) || errors.Is(err, context.Cause(c.ctx))):
		return nil, c.cancelled()
	case c.opts.Strict && c.opts.LockFile == "" && c.target.unlockable(err):
		return nil, c.target.refusal(err)
	}
	return nil, c.target.renamed(err, c.target.path)
}

// unchanged reports whether the file is as it should be without a write.
func (b *batch) unchanged() bool {
	if b.now == nil {
		return b.was == nil
	}
	return b.was != nil && !b.doubt && bytes.Equal(b.now, b.was)
}

// full reports whether others should have their turn. Tests let a batch go
// on that a busy machine has made late.
func (b *batch) full() bool {
	return b.served >= maxBatch || time.Since(b.since) > batchTime && b.opts.at("late") == nil
}

// pass gives the turn to the next call, or ends the batch.
func (b *batch) pass() {
	if b.held == nil {
		b.queue.next()
		return
	}
	if !b.full() && b.queue.hand(b) {
		return
	}
	err := b.finish()
	b.queue.next()
	for _, c := range b.pending {
		c.written <- c.target.renamed(err, b.target.path)
	}
}

// finish writes what has changed and releases the lock. That this could
// fail is left out: the content is what it should be, and the lock
// ends with its descriptor.
func (b *batch) finish() (err error) {
	if len(b.pending) > 0 && !b.unchanged() {
		err = b.opts.WriteFile(b.target.path, b.now, b.pending[0].perm)
		b.queue.doubtAfter(err)
	}
	b.opts.at("unlock")
	b.held.Unlock()
	return err
}

// cancelled is the error of a call whose context was done before its turn.
func (c *call) cancelled() error {
	err, why := c.ctx.Err(), context.Cause(c.ctx)
	if !errors.Is(why, err) {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return c.target.wrap("update", err)
}

// key is the same for two names of one file as often as that is cheap to
// find out, and never for two files. So it is not cleaned of "..", which may
// come after a symbolic link.
func (t target) key() string {
	if !strings.Contains(t.path, "..") {
		if path, err := filepath.Abs(t.path); err == nil {
			return path
		}
	}
	if filepath.IsAbs(t.path) {
		return t.path
	}
	dir, err := os.Getwd()
	if err != nil {
		return t.path
	}
	return dir + string(filepath.Separator) + t.path
}

// maxGuess bounds the memory that is asked for before anything is read.
const maxGuess = 64 << 20

// read returns the content of the file at t.path, and its description from
// before that was read. It never opens a pipe, which could be without end.
func (t target) read() ([]byte, fs.FileInfo, error) {
	now, err := locate(t.path)
	if err != nil {
		return nil, nil, t.wrap("open", err)
	}
	if now.special {
		return nil, nil, t.unfit("read")
	}
	f, err := openRegular(t.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, t.wrap("open", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, t.wrap("stat", err)
	}
	size := info.Size()
	if size > maxGuess {
		size = maxGuess
	}
	content := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := content.ReadFrom(f); err != nil {
		return nil, nil, t.wrap("read", err)
	}
	return content.Bytes(), info, nil
}

// unfit is the error for a special target, which cannot be read to its end.
func (t target) unfit(op string) error {
	info, err := os.Stat(t.name)
	switch {
	case err != nil:
		if op == "update" {
			err = t.missing(err)
		}
		return t.wrap(op, err)
	case info.IsDir():
		return t.wrap(op, syscall.EISDIR)
	}
	return t.wrap(op, fmt.Errorf("not a regular file: %w", ErrNotAtomic))
}

// renamed puts the name of t in the place of path in err.
func (t target) renamed(err error, path string) error {
	switch e := err.(type) {
	case *fs.PathError:
		if e.Path == path {
			return &fs.PathError{Op: e.Op, Path: t.name, Err: e.Err}
		}
	case *os.LinkError:
		if e.New == path {
			return &os.LinkError{Op: e.Op, Old: e.Old, New: t.name, Err: e.Err}
		}
	}
	return err
}
