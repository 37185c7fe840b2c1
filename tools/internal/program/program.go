// Package program gets public programs by module path and version.
package program

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Name is the last element of a module's path that is no major version.
func Name(module string) string {
	base := path.Base(module)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(module))
	}
	return base
}

// Download copies a module out of the module cache, where nothing may be written.
func Download(ctx context.Context, module, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) != nil || got.Dir == "" {
		return fmt.Errorf("downloading %s: %s: %w", module, got.Error, cmp.Or(err, errors.New("the go command names no directory")))
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return fmt.Errorf("copying %s: %w", module, err)
	}
	return withoutFolders(filepath.Join(dir, "go.mod"))
}

// withoutFolders removes the replacements by folders of a go.mod: they are beside the
// module in its repository, and not in the module.
func withoutFolders(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(f.Replace) {
		if modfile.IsDirectoryPath(r.New.Path) {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return err
			}
		}
	}
	f.DropToolchainStmt()
	f.Cleanup()
	if text, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}
