package repair

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/bundle"
)

// A stagedCopy is a folder that is to be the first one of a copy.
type stagedCopy struct {
	dir, temp string
	names     []string // of its files
	made      []string // folders that were made for it, the outermost first
}

// The name of a folder that is being made stands between these, beside that which it is
// to be. The go command does not look into it.
const (
	tempStart = ".lockvet-"
	tempEnd   = ".tmp"
)

// Sweep removes what a run that was killed has left beside a copy of safeio. No other
// run may be under way.
func Sweep(copyDir string) {
	left, err := os.ReadDir(filepath.Dir(copyDir))
	if err != nil {
		return
	}
	for _, e := range left {
		if name := e.Name(); e.IsDir() && strings.HasPrefix(name, tempStart) && strings.HasSuffix(name, tempEnd) {
			os.RemoveAll(filepath.Join(filepath.Dir(copyDir), name))
		}
	}
}

// stageCopy makes the folder of a new copy, beside the place where it is to be. The changes of one that
// is there are returned, in the order in which they have to be made.
func (t *transaction) stageCopy(changes []Change) (singly []Change, err error) {
	dir := changes[0].Copy
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return inOrder(changes), err
	}
	if err := t.begin("stage " + dir); err != nil {
		return nil, err
	}
	s := &stagedCopy{dir: dir}
	t.folder = append(t.folder, s)
	if err := s.make(); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := c.unchanged(); err != nil {
			return nil, err
		}
		if err := t.begin("write " + c.Name); err != nil {
			return nil, err
		}
		if err := s.write(c); err != nil {
			return nil, err
		}
	}
	return nil, syncDir(s.temp)
}

// inOrder are the changes of a copy in the order in which they are made one by one: that which says what
// the copy has comes last, so that a copy which lacks the others is seen not to be what it was.
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

// make makes the folder, and those that it is in.
func (s *stagedCopy) make() error {
	parent := filepath.Dir(s.dir)
	for dir := parent; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		s.made = append([]string{dir}, s.made...)
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(parent, fmt.Sprint(tempStart, rand.Uint64(), tempEnd))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return err
	}
	s.temp = temp
	return nil
}

// write makes a file of the copy, which is on disk then.
func (s *stagedCopy) write(c Change) error {
	s.names = append(s.names, c.Name)
	f, err := os.OpenFile(filepath.Join(s.temp, filepath.Base(c.Name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(c.New)
	return errors.Join(err, f.Sync(), f.Close())
}

// place gives the folder its name.
func (t *transaction) place(s *stagedCopy) error {
	if err := os.Rename(s.temp, s.dir); err != nil {
		return err
	}
	t.undo = append(t.undo, undo{s.names, func() error {
		if err := os.Rename(s.dir, s.temp); err != nil {
			return err
		}
		s.discard()
		return nil
	}})
	return syncDir(filepath.Dir(s.dir))
}

// discard removes the folder, and those that were made for it and are empty.
func (s *stagedCopy) discard() {
	if s.temp != "" {
		os.RemoveAll(s.temp)
	}
	for _, dir := range slices.Backward(s.made) {
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
