package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A Module is a main module: one that the user works in, and may edit.
type Module struct {
	Path, Dir, GoMod string
}

// MainModules lists the main modules: one, or those of the workspace.
func (c Config) MainModules() ([]Module, error) {
	out, err := c.goCommand(nil, "list", "-m", "-json=Path,Dir,GoMod,Main")
	if err != nil {
		return nil, err
	}
	var modules []Module
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct {
			Module
			Main bool
		}
		switch err := dec.Decode(&m); {
		case errors.Is(err, io.EOF):
			return modules, nil
		case err != nil:
			return nil, fmt.Errorf("go list -m: %w", err)
		}
		if m.Main {
			modules = append(modules, m.Module)
		}
	}
}

// inModule reports whether c.Dir belongs to a module or a workspace.
func (c Config) inModule() bool {
	out, err := c.goCommand(nil, "env", "GOMOD", "GOWORK")
	if err != nil {
		return true // the go command has said what is wrong, and this is not it
	}
	for _, name := range strings.Fields(string(out)) {
		if name != os.DevNull && name != "off" {
			return true
		}
	}
	return false
}

// listed says why the go command cannot list the packages that match the patterns, nil
// where it can. packages.Load keeps that to itself when it asks for export data.
func (c Config) listed(patterns []string) error {
	args := []string{"list", "-e"}
	if c.Tags != "" {
		args = append(args, "-tags="+c.Tags)
	}
	_, err := c.goCommand(nil, append(append(args, "--"), patterns...)...)
	return err
}

// CanImport reports whether a package of c.Dir can import the path without
// the network.
func (c Config) CanImport(path string) bool {
	out, err := c.goCommand([]string{"GOPROXY=off"}, "list", "-find", "-f", "{{.Name}}", path)
	return err == nil && len(bytes.TrimSpace(out)) > 0
}

func (c Config) goCommand(env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "PWD="+c.Dir)
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
