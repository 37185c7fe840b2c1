package supply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// ErrNotOurs says that the folder for the copy holds code that lockvet did not
// write.
var ErrNotOurs = errors.New("the folder holds Go files that lockvet did not write; move them, or choose another package with -safeio")

// A Copy is the copy of safeio in one directory, as it is on disk.
type Copy struct {
	dir       string
	files     map[string][]byte // by base name, without tests
	names     []string          // of its files, and of what code can call
	goVersion string            // that go.mod says; empty for a new one
}

// Read takes stock of the copy in a directory, which need not be there. Its module is of that version of Go, empty for a
// new one.
func Read(dir, goVersion string) (*Copy, error) {
	present, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		return nil, err
	}
	c := &Copy{dir: dir, files: make(map[string][]byte), goVersion: goVersion}
	for _, name := range present {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := untrusted.ReadFile(filepath.Join(dir, name), untrusted.MaxSource)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(src, []byte(bundle.Header)) {
			return nil, fmt.Errorf("%s: %w", dir, ErrNotOurs)
		}
		c.files[name] = src
		c.names = append(append(c.names, name), bundle.Declared(src)...)
	}
	return c, nil
}

// Exists reports whether there is a copy.
func (c *Copy) Exists() bool { return len(c.files) > 0 }

// Changes says what must change for a copy that has these functions beside those that
// it has: new content by file name, nil for a file that must go. It is empty
// if there is nothing to do.
func (c *Copy) Changes(called []string, version string) (map[string][]byte, error) {
	wanted, err := bundle.Copy(slices.Concat(c.names, called), version, c.goVersion)
	if err != nil {
		return nil, err
	}
	changes := make(map[string][]byte)
	for base, old := range c.files {
		if !bytes.Equal(body(old), body(wanted[base])) {
			changes[filepath.Join(c.dir, base)] = wanted[base] // nil if it must go
		}
		delete(wanted, base)
	}
	for base, content := range wanted {
		changes[filepath.Join(c.dir, base)] = content
	}
	return changes, nil
}

// All says what must change for a copy of all of safeio.
func (c *Copy) All(version string) (map[string][]byte, error) {
	names, err := bundle.Exported()
	if err != nil {
		return nil, err
	}
	return c.Changes(names, version)
}

// body is the content of a copied file without its header, so that a new
// version that changes nothing else makes no change.
func body(content []byte) []byte {
	_, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest
}
