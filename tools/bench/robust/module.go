package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
)

// A module is one at a version.
type module struct {
	path, version string
	// instead are the versions to require instead of those that stand in go.mod, where
	// these are nominal: the modules are replaced by folders that are not published.
	instead map[string]string
}

func (m module) String() string { return m.path + "@" + m.version }

// copyTo downloads a module and copies it out of the module cache.
func (m module) copyTo(ctx context.Context, dir string) error {
	var got struct{ Dir, Error string }
	out, err := run(ctx, os.TempDir(), "go", "mod", "download", "-json", m.String())
	json.Unmarshal(out, &got) // what it says of its failure is better than what it exits with
	if got.Dir == "" {
		return fmt.Errorf("downloading the module: %w", cmp.Or(says(got.Error), err, errors.New("the go command names no directory")))
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return fmt.Errorf("copying the module: %w", err)
	}
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("a module without go.mod cannot be the main module: %w", err)
	}
	if text, err = m.alone(text, strings.TrimPrefix(runtime.Version(), "go")); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// says is the error of a text, nil for none.
func says(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// alone is a go.mod that can do without the folders around the module, and without a
// newer release of Go.
func (m module) alone(text []byte, release string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range f.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range f.Require {
		if v := m.instead[r.Mod.Version]; v != "" {
			if err := f.AddRequire(r.Mod.Path, v); err != nil {
				return nil, err
			}
		}
	}
	f.DropToolchainStmt()
	if f.Go != nil && version.Compare("go"+f.Go.Version, "go"+release) > 0 {
		if err := f.AddGoStmt(release); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// run runs a command to its end and returns what it prints.
func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, environ()
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return out, err
}

// environ is that in which the go command looks at a copy.
func environ() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
}
