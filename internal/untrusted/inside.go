package untrusted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inside returns an error if name, once symbolic links are followed, is outside of dir or in a .git
// directory; name need not exist, and both must be absolute. A link of a repository could lead to any file of whoever writes through it, or into
// .git, which has programs that git runs.
func Inside(dir, name string) error {
	real, err := followed(name)
	if err != nil {
		return fmt.Errorf("%s is not written, since a symbolic link on the way to it cannot be followed (%w); remove the link", name, err)
	}
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(realDir, real)
	if err != nil || !filepath.IsLocal(rel) || slices.Contains(strings.Split(rel, string(filepath.Separator)), ".git") {
		return fmt.Errorf("%s is not written, since a symbolic link leads from it to %s, out of %s; name that, or "+
			"remove the link", name, real, dir)
	}
	return nil
}

// followed is a name without symbolic links, as far as there is a file.
func followed(name string) (string, error) {
	there := name
	for {
		_, err := os.Lstat(there)
		above := filepath.Dir(there)
		if !errors.Is(err, fs.ErrNotExist) || above == there {
			break
		}
		there = above
	}
	real, err := filepath.EvalSymlinks(there)
	return filepath.Join(real, strings.TrimPrefix(name, there)), err
}
