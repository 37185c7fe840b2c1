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

	"golang.org/x/tools/go/packages"
)

// A Module is a main module: one that the user works in, and may edit.
type Module struct {
	Path, Dir, GoMod string
}

// errNoGo is the error of a machine without a go command.
var errNoGo = errors.New("the go command is not in PATH, and lockvet lists and compiles packages with it: install Go, or add its bin folder to PATH")

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

// unmatched is the error for a pattern with which the go command can do nothing, which
// packages.Load makes a package of; nil for any package.
func (c Config) unmatched(p *packages.Package) error {
	if len(p.Errors) == 0 || p.Name != "" || len(p.GoFiles)+len(p.IgnoredFiles)+len(p.Imports) > 0 || p.Errors[0].Pos != "" && p.Errors[0].Pos != "-" {
		return nil
	}
	msg := p.Errors[0].Msg
	if !c.inModule() {
		return c.noModule()
	}
	if strings.Contains(msg, "modules listed in go.work") {
		msg += ": try lockvet work, for all modules of the workspace"
	}
	return errors.New(msg)
}

// noModule is the error of a directory that no module has.
func (c Config) noModule() error {
	return fmt.Errorf("no go.mod in %s or a folder above it: run lockvet inside a module, or name one with -C", c.Dir)
}

// listed says why the go command cannot list the packages that match the patterns, nil
// where it can. packages.Load keeps that to itself when it asks for export data.
func (c Config) listed(patterns []string) error {
	args := []string{"list", "-e", "-export", "-f", "{{.ImportPath}}"}
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
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errNoGo
	}
	if err != nil {
		if words := strings.TrimSpace(stderr.String()); words != "" {
			return nil, fmt.Errorf("go %s: %s", args[0], words)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}
