package repair

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/bundle"
)

// A stagedCopy is a folder that is to take the place of that of a copy, or to be the
// first one.
type stagedCopy struct {
	dir, temp string
	exists    bool
	names     []string // of the files that change
	made      []string // folders that were made for it, the innermost first
}

// The name of a folder that is being made stands between these, beside that which it is
// to be. The go command does not look into it.
const (
	tempStart = ".lockvet-"
	tempEnd   = ".tmp"
)

// Sweep removes what a run that was killed has left beside a copy of safeio. No other
// run may be under way.
func Sweep(copyDir string) { sweep(filepath.Dir(copyDir), tempStart, fs.FileMode.IsDir) }

// SweepTemp removes what a run that was killed has left beside a file: the temporary files of package safeio. No other
// run may be under way.
func SweepTemp(name string) {
	dir, base := filepath.Split(name)
	sweep(filepath.Clean(dir), fmt.Sprintf(".%.50s.", base), fs.FileMode.IsRegular)
}

// sweep removes what in a directory is of a kind and has the name of something temporary.
func sweep(dir, start string, kind func(fs.FileMode) bool) {
	left, _ := os.ReadDir(dir) // what cannot be read stays
	for _, e := range left {
		if name := e.Name(); kind(e.Type()) && strings.HasPrefix(name, start) && strings.HasSuffix(name, tempEnd) {
			os.RemoveAll(filepath.Join(dir, name))
		}
	}
}

// errSingly says that the files of a folder have to be replaced one by one.
var errSingly = errors.New("the folder cannot be exchanged")

// stageCopy makes the folder of a copy as it is to be, beside the one that is there. The
// changes that have to be made file by file, because folders cannot be exchanged, are
// returned: that which says what the copy has comes last, so that a copy which lacks the
// others is seen not to be what it was.
func (t *transaction) stageCopy(changes []Change) (singly []Change, err error) {
	s := &stagedCopy{dir: changes[0].Copy}
	if err := t.begin("stage " + s.dir); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := c.unchanged(); err != nil {
			return nil, err
		}
		s.names = append(s.names, c.Name)
	}
	t.folders = append(t.folders, s)
	err = s.make()
	if errors.Is(err, errSingly) {
		s.discard()
		t.folders = t.folders[:len(t.folders)-1]
		return inOrder(changes), nil
	}
	for _, c := range changes {
		if err == nil && c.New != nil {
			if err = t.begin("write " + c.Name); err == nil {
				err = s.write(c)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, syncDir(s.temp)
}

// make makes the folder, with what stays of the one that is there, and those that it is in.
func (s *stagedCopy) make() error {
	parent := filepath.Dir(s.dir)
	for dir := parent; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append(s.made, dir)
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	s.temp = filepath.Join(parent, tempStart+rand.Text()+tempEnd)
	if err := os.Mkdir(s.temp, 0o777); err != nil {
		return err
	}
	info, err := os.Lstat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir() || !s.canExchange():
		return errSingly
	}
	s.exists = true
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(s.dir, e.Name())
		if slices.Contains(s.names, name) {
			continue
		}
		if !e.Type().IsRegular() || os.Link(name, filepath.Join(s.temp, e.Name())) != nil {
			return errSingly
		}
	}
	return os.Chmod(s.temp, info.Mode().Perm())
}

// canExchange reports whether the file system can exchange folders: some cannot,
// whatever the system can.
func (s *stagedCopy) canExchange() bool {
	a, b := filepath.Join(s.temp, "a"), filepath.Join(s.temp, "b")
	err := errors.Join(os.Mkdir(a, 0o700), os.Mkdir(b, 0o700), exchange(a, b))
	return errors.Join(os.Remove(a), os.Remove(b)) == nil && err == nil
}

// inOrder are the changes of a copy in the order in which they are made one by one.
func inOrder(changes []Change) []Change {
	ordered := slices.Clone(changes)
	last := func(c Change) int {
		switch {
		case c.New == nil:
			return 2
		case filepath.Base(c.Name) == bundle.First:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(ordered, func(a, b Change) int { return last(a) - last(b) })
	return ordered
}

// write makes a file of the copy, which is on disk then.
func (s *stagedCopy) write(c Change) error {
	f, err := os.OpenFile(filepath.Join(s.temp, filepath.Base(c.Name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(c.New)
	if info, missing := os.Stat(c.Name); missing == nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// place gives the folder its name.
func (t *transaction) place(s *stagedCopy) error {
	move := os.Rename
	if s.exists {
		move = exchange
	}
	if err := move(s.temp, s.dir); err != nil {
		return err
	}
	t.undo = append(t.undo, undo{s.names, func() error {
		if err := move(s.dir, s.temp); err != nil {
			return err
		}
		s.discard()
		return nil
	}})
	t.done = append(t.done, s.discard) // from here on temp is the old folder
	return syncDir(filepath.Dir(s.dir))
}

// discard removes the folder, and those that were made for it and are empty.
func (s *stagedCopy) discard() {
	os.RemoveAll(s.temp)
	for _, dir := range s.made {
		os.Remove(dir) // fails where something else is in it
	}
}

// syncDir makes the names in a folder durable, where that can be done.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	d.Sync() // not every system can
	return d.Close()
}
