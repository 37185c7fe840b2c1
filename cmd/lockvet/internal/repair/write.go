package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Change is a file before and after the repair. Old is nil for a file that
// is new, New is nil for one that goes.
type Change struct {
	Name     string
	Old, New []byte
	// Copy is the folder of the copy of safeio that the file is of, empty for any
	// other file.
	Copy string
}

func (c Change) compare(d Change) int { return strings.Compare(c.Name, d.Name) }

// errChanged says that a file is not what was analysed any more.
var errChanged = errors.New("the file was changed while lockvet was running; run again")

// A WriteFile replaces a file whole, or not at all.
type WriteFile func(name string, data []byte, perm fs.FileMode) error

// Write makes the changes on disk, new files first, until the context is
// cancelled or a new file fails: without the copy of safeio no other
// file would compile. It returns the names of the files that were written;
// the error joins those of the others.
func Write(ctx context.Context, changes []Change, write WriteFile) (written []string, err error) {
	var errs []error
	for _, fresh := range []bool{true, false} {
		for _, c := range changes {
			if (c.Old == nil) != fresh {
				continue
			}
			if ctx.Err() != nil {
				return written, errors.Join(append(errs, errors.New("interrupted"))...)
			}
			if err := c.write(write); err != nil {
				errs = append(errs, err)
				continue
			}
			written = append(written, c.Name)
		}
		if len(errs) > 0 {
			break
		}
	}
	return written, errors.Join(errs...)
}

func (c Change) write(write WriteFile) error {
	old, err := os.ReadFile(c.Name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(old, c.Old) {
		return fmt.Errorf("%s: %w", c.Name, errChanged)
	}
	if c.New == nil {
		return os.Remove(c.Name)
	}
	if err := os.MkdirAll(filepath.Dir(c.Name), 0o777); err != nil {
		return err
	}
	return write(c.Name, c.New, 0o666)
}
