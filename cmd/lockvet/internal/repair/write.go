package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// A Change is a file before and after the repair. Old is nil for a file that
// is new, New is nil for one that goes.
type Change struct {
	Name     string
	Old, New []byte
	// Copy is the folder of the copy of safeio that the file is of, empty for any
	// other file.
	Copy string
	// First says that the others need the file as it is to be.
	First bool
}

func (c Change) compare(d Change) int { return strings.Compare(c.Name, d.Name) }

// errChanged says that a file is not what was analysed any more.
var errChanged = errors.New("the file was changed while lockvet was running; run again")

// A Step, if not nil, is called before each step that changes something on disk, with what that is; its error stands
// for the failure of the step.
type Step func(what string) error

// Write makes the changes on disk: a copy of safeio, without which nothing that calls it
// would compile, appears whole before the other files. All new content is on disk before
// the first file changes. If that fails, or the context is cancelled, what was changed is put back.
// Write returns the names of the files that are changed:
// with an error those that could not be put back.
func Write(ctx context.Context, changes []Change, step Step) (written []string, err error) {
	t := &transaction{ctx: ctx, step: step}
	defer t.discard()
	if err := t.write(changes); err != nil {
		t.discard()
		left, failed := t.putBack()
		return left, errors.Join(err, failed)
	}
	for _, u := range t.undo {
		written = append(written, u.names...)
	}
	for _, do := range t.done {
		do()
	}
	return written, nil
}

// A transaction is a Write under way.
type transaction struct {
	ctx     context.Context
	step    Step
	staged  []*stagedFile
	folders []*stagedCopy
	undo    []undo
	done    []func() // what is left to do when all is written
}

// An undo puts back what was changed.
type undo struct {
	names []string
	do    func() error
}

// A stagedFile is a change that Commit makes; no pending for a file that goes.
type stagedFile struct {
	Change
	pending *safeio.File
}

func (t *transaction) write(changes []Change) error {
	edits, copies := split(changes)
	for _, dir := range copies {
		singly, err := t.stageCopy(dir)
		if err != nil {
			return err
		}
		edits = append(singly, edits...)
	}
	for _, c := range edits {
		if err := t.stage(c); err != nil {
			return err
		}
	}
	for ; len(t.folders) > 0; t.folders = t.folders[1:] {
		if err := t.begin("rename " + t.folders[0].dir); err != nil {
			return err
		}
		if err := t.place(t.folders[0]); err != nil {
			return err
		}
	}
	for ; len(t.staged) > 0; t.staged = t.staged[1:] {
		if err := t.commit(t.staged[0]); err != nil {
			return err
		}
	}
	return nil
}

// split takes the changes of copies of safeio from the others.
func split(changes []Change) (edits []Change, copies [][]Change) {
	of := make(map[string][]Change)
	for _, c := range changes {
		if c.Copy == "" {
			edits = append(edits, c)
		} else {
			of[c.Copy] = append(of[c.Copy], c)
		}
	}
	slices.SortStableFunc(edits, func(a, b Change) int {
		switch {
		case !a.First && !b.First:
			return 0
		case a.First && b.First:
			return strings.Compare(b.Name, a.Name) // go.sum before the go.mod that needs it
		case a.First:
			return -1
		}
		return 1
	})
	for _, dir := range slices.Sorted(maps.Keys(of)) {
		copies = append(copies, of[dir])
	}
	return edits, copies
}

// begin is an error if nothing more is to be done.
func (t *transaction) begin(what string) error {
	if t.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if t.step == nil {
		return nil
	}
	return t.step(what)
}

// stage puts the new content of a file beside it.
func (t *transaction) stage(c Change) error {
	if err := t.begin("stage " + c.Name); err != nil {
		return err
	}
	if err := c.unchanged(); err != nil {
		return err
	}
	s := &stagedFile{Change: c}
	t.staged = append(t.staged, s)
	if c.New == nil {
		return nil
	}
	p, err := safeio.CreatePerm(c.Name, 0o666)
	if err != nil {
		return err
	}
	s.pending = p
	if _, err := p.Write(c.New); err != nil {
		return err
	}
	return p.Sync()
}

// unchanged fails if the file is not what was analysed.
func (c Change) unchanged() error {
	old, err := os.ReadFile(c.Name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(old, c.Old) {
		return fmt.Errorf("%s: %w", c.Name, errChanged)
	}
	return nil
}

// commit puts a file in place.
func (t *transaction) commit(s *stagedFile) error {
	if err := t.begin("commit " + s.Name); err != nil {
		return err
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	t.undo = append(t.undo, undo{[]string{s.Name}, func() error { return t.restore(s.Change) }})
	if s.pending == nil {
		return os.Remove(s.Name)
	}
	return s.pending.Commit()
}

// restore gives a file its old content, whether it has the new one or not.
func (t *transaction) restore(c Change) error {
	if err := c.unchanged(); err == nil {
		return nil
	}
	if c.Old == nil {
		return os.Remove(c.Name)
	}
	p, err := safeio.CreatePerm(c.Name, 0o666)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.Write(c.Old); err != nil {
		return err
	}
	return p.Commit()
}

// discard drops what is staged and not committed.
func (t *transaction) discard() {
	for _, s := range t.staged {
		if s.pending != nil {
			s.pending.Close()
		}
	}
	for _, s := range t.folders {
		s.discard()
	}
	t.staged, t.folders = nil, nil
}

// putBack undoes everything, the last first, and returns the names of the files for
// which that failed.
func (t *transaction) putBack() (left []string, err error) {
	var errs []error
	for _, u := range slices.Backward(t.undo) {
		if err := u.do(); err != nil {
			left, errs = append(left, u.names...), append(errs, fmt.Errorf("putting it back: %w", err))
		}
	}
	slices.Sort(left)
	return left, errors.Join(errs...)
}
