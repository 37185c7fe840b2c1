package safeio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// A State is a value that is kept in a file as JSON and shared by goroutines
// and processes. The file is the truth: memory follows it and never runs
// ahead, so a change whose wait is cancelled, whose function fails or
// panics, or which cannot be written is neither here nor there.
//
// It does not watch the file: another process's change is seen by the next
// Get, and nobody is told of it. It does not hold T itself but its JSON, so
// what that leaves out (unexported fields) is not kept, and each Get costs a
// stat and a decoding.
//
// A State may be used by many goroutines, and copied by none. It holds nothing
// open and needs no Close.
type State[T any] struct {
	name string
	perm fs.FileMode
	opts Options
	last atomic.Pointer[snapshot] // nil before the first Get
}

// A snapshot is what the file held when it was read.
type snapshot struct {
	data []byte // never changed
	info fs.FileInfo
	read time.Time
}

// NewState returns the State kept in the named file, which is created with
// mode perm less the umask by the first Update. It does not look at the file.
// A relative name is resolved by each call.
func NewState[T any](name string, perm fs.FileMode) *State[T] {
	return NewStateWith[T](Options{}, name, perm)
}

// NewStateWith is [NewState] with options.
func NewStateWith[T any](o Options, name string, perm fs.FileMode) *State[T] {
	return &State[T]{name: name, perm: perm, opts: o}
}

// Get returns the newest committed value, whichever process committed it, and
// the zero value if the file does not exist. The value is the caller's own:
// maps and slices in it are shared with nothing. Errors are those of
// [ReadJSON], with the zero value.
//
// The file is read again if it is another file than before, or has another
// size or modification time. A program that changes the file in place and puts
// its modification time back is not noticed.
func (s *State[T]) Get() (T, error) {
	var none T
	seen, err := s.look()
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return decode[T](s.name, seen.data)
}

// Update changes the value, like [UpdateJSONContext]: change gets the newest
// committed one, under the lock of the file. nil means that the new value is
// in the file, durably; from then on Get returns it or a newer one. After an
// error, Get returns what it would have returned without the call, except
// that one that matches [ErrPublished] came after the change.
//
// change must not call Update of the same State, which is a deadlock. What it
// sets apart from the value (a variable of the caller's) is not undone if the
// value cannot be written.
func (s *State[T]) Update(ctx context.Context, change func(v *T) error) error {
	return s.opts.UpdateContext(ctx, s.name, s.perm, changeJSON(s.name, change))
}

// look returns what the file holds, reading it only if it may have changed.
func (s *State[T]) look() (*snapshot, error) {
	if last := s.last.Load(); last != nil && last.oldEnough() {
		info, err := os.Stat(s.name)
		if err == nil && last.same(info) {
			return last, nil
		}
	}
	now := &snapshot{read: time.Now()}
	var err error
	if now.data, now.info, err = readNamed(s.name); err != nil {
		return nil, err
	}
	s.last.Store(now)
	return now, nil
}

// minAge is how old a file must be when it is read for its description to
// tell it from later ones. Clocks of file systems tick every 10 ms, or every two
// seconds on FAT, and the number of a replaced file is soon given to a new
// one. Until then, each Get reads the file.
const minAge = 3 * time.Second

func (s *snapshot) oldEnough() bool {
	return s.read.Sub(s.info.ModTime()) > minAge
}

func (s *snapshot) same(info fs.FileInfo) bool {
	return os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}
