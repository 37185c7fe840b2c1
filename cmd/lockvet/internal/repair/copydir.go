package repair

import (
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

// SweepTemp removes what a run that was killed has left beside a file: the temporary files of package safeio. No other
// run may be under way.
func SweepTemp(name string) {
	dir, base := filepath.Split(name)
	left, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return
	}
	for _, e := range left {
		if n := e.Name(); strings.HasPrefix(n, fmt.Sprintf(".%.50s.", base)) && strings.HasSuffix(n, ".tmp") {
			os.Remove(filepath.Join(dir, n))
		}
	}
}

// stageCopy makes the folder of a copy as it is to be, beside the one that is there. The
// changes that have to be made file by file, because folders cannot be exchanged, are
// returned: that which says what the copy has comes last, so that a copy which lacks the
// others is seen not to be what it was.
func (t *transaction) stageCopy(changes []Change) (singly []Change, err error) {
	dir := changes[0].Copy
	if err := t.begin("stage " + dir); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := c.unchanged(); err != nil {
			return nil, err
		}
	}
	others, mode, err := otherFiles(dir, changes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errSingly):
		return inOrder(changes), nil
	case err != nil:
		return nil, err
	}
	s := &stagedCopy{dir: dir, exists: err == nil}
	t.folder = append(t.folder, s)
	if err := s.make(mode); err != nil {
		return nil, err
	}
	if s.exists && !s.canExchange() {
		t.drop(s)
		return inOrder(changes), nil
	}
	for _, c := range changes {
		s.names = append(s.names, c.Name)
		if c.New == nil {
			continue
		}
		if err := t.begin("write " + c.Name); err != nil {
			return nil, err
		}
		if err := s.write(c); err != nil {
			return nil, err
		}
	}
	for _, name := range others {
		if err := os.Link(filepath.Join(dir, name), filepath.Join(s.temp, name)); err != nil {
			t.drop(s)
			return inOrder(changes), nil
		}
	}
	return nil, syncDir(s.temp)
}

// drop discards the folder that was staged last.
func (t *transaction) drop(s *stagedCopy) {
	s.discard()
	t.folder = t.folder[:len(t.folder)-1]
}

// canExchange reports whether the file system can exchange folders: some cannot,
// whatever the system can.
func (s *stagedCopy) canExchange() bool {
	a, b := filepath.Join(s.temp, "a"), filepath.Join(s.temp, "b")
	err := errors.Join(os.Mkdir(a, 0o700), os.Mkdir(b, 0o700), exchange(a, b))
	return errors.Join(os.Remove(a), os.Remove(b)) == nil && err == nil
}

// errSingly says that the files of a folder have to be replaced one by one.
var errSingly = errors.New("the folder cannot be exchanged")

// otherFiles lists what a folder has beside what changes, and its mode.
func otherFiles(dir string, changes []Change) (others []string, mode fs.FileMode, err error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() || !canExchange {
		return nil, 0, errSingly
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return nil, 0, errSingly
		}
		name := filepath.Join(dir, e.Name())
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.Name == name }) {
			others = append(others, e.Name())
		}
	}
	return others, info.Mode().Perm(), nil
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

// make makes the folder, and those that it is in.
func (s *stagedCopy) make(mode fs.FileMode) error {
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
	temp, err := os.MkdirTemp(parent, tempStart+"*"+tempEnd)
	if err != nil {
		return err
	}
	s.temp = temp
	if !s.exists { // with the mode that the umask leaves
		probe := filepath.Join(temp, "d")
		if err := os.Mkdir(probe, 0o777); err != nil {
			return err
		}
		info, err := os.Stat(probe)
		if err != nil {
			return err
		}
		if err := os.Remove(probe); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	return os.Chmod(temp, mode)
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
	parent := filepath.Dir(s.dir)
	if s.exists {
		if err := exchange(s.temp, s.dir); err != nil {
			return err
		}
		t.undo = append(t.undo, undo{s.names, func() error {
			err := exchange(s.temp, s.dir)
			s.discard()
			return err
		}})
		// From here on temp is the old folder, which goes when all is done.
		old := *s
		t.done = append(t.done, func() { old.discard() })
		return syncDir(parent)
	}
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
	return syncDir(parent)
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
