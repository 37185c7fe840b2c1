package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// A Module is a main module: one that the user works in, and may edit.
type Module struct {
	Path, Dir, GoMod string
}

// IsModule reports whether a folder is that of a module.
func IsModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// Ignored reports whether the go command does not look into a folder of that name.
func Ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// HasNoPackages reports whether nobody expects a package of the program in a folder of that name: the go command looks
// into node_modules, too.
func HasNoPackages(name string) bool { return Ignored(name) || name == "node_modules" }

// Sources are the Go files at or below a folder that belong to its module, tests and files for other systems too. What
// cannot be read is not built, either.
func Sources(root string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && name != root && (HasNoPackages(d.Name()) || IsModule(name)):
				return fs.SkipDir
			case !d.IsDir() && filepath.Ext(name) == ".go" && !yield(name):
				return fs.SkipAll
			}
			return nil
		})
	}
}

// errNoGo is the error of a machine without a go command.
var errNoGo = errors.New("the go command is not in PATH, and lockvet lists and compiles packages with it: install Go, or add its bin folder to PATH")

// MainModules lists the main modules: one, or those of the workspace.
func (c Config) MainModules() ([]Module, error) {
	if c.Modules != nil {
		return c.Modules, nil
	}
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

// An Importable is a package that can be imported: its name, and which Go its module
// needs, empty if it does not say.
type Importable struct{ Name, GoVersion string }

// Import reports whether a package of c.Dir can import the path without the network, with
// the overlay.
func (c Config) Import(path string) (p Importable, ok bool) {
	args := []string{"list", "-find", "-f", "{{.Name}} {{with .Module}}{{.GoVersion}}{{end}}"}
	if len(c.Overlay) > 0 {
		flag, remove, err := overlayFlag(c.Overlay)
		if err != nil {
			return Importable{}, false
		}
		defer remove()
		args = append(args, flag)
	}
	out, err := c.goCommand([]string{"GOPROXY=off"}, append(args, path)...)
	p.Name, p.GoVersion, _ = strings.Cut(strings.TrimSuffix(string(out), "\n"), " ")
	return p, err == nil && p.Name != ""
}

// A Download is a module version in the module cache.
type Download struct {
	Path, Version string
	// Dir is where its files are, GoMod its go.mod.
	Dir, GoMod string
	// Sum and GoModSum are what go.sum says of it.
	Sum, GoModSum string
}

// patience is how long a proxy may take.
const patience = 10 * time.Second

// Download finds the latest version of a module and has the go command put it into the
// module cache, as far as one of the user's proxies has it: no repository is asked. If
// none answers, the latest in the module cache will do.
func (c Config) Download(path string) (*Download, error) {
	// Outside of any module, so that nothing there is changed or in the way.
	dir, err := os.MkdirTemp("", "lockvet-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, err := c.goCommand(nil, "env", "GOPROXY", "GOMODCACHE", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	values := strings.Split(string(out)+"\n\n\n", "\n")
	env := []string{"GOWORK=off", "GOFLAGS=" + withoutMod(values[2])}
	c.Dir = dir
	var d *Download
	for _, proxy := range []string{withoutDirect(values[0]), moduleCache(values[1])} {
		if d, err = c.download(append(env, "GOPROXY="+proxy), path+"@latest"); err == nil {
			break
		}
	}
	return d, err
}

// moduleCache is the module cache in a folder, as a proxy.
func moduleCache(dir string) string {
	path := filepath.ToSlash(filepath.Join(dir, "cache", "download"))
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()
}

func (c Config) download(env []string, query string) (*Download, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	out, err := c.goCommandContext(ctx, env, "mod", "download", "-json", query)
	var d struct {
		Download
		Error string
	}
	switch json.Unmarshal(out, &d); {
	case d.Error != "":
		return nil, fmt.Errorf("go mod download %s: %s", query, d.Error)
	case err != nil:
		return nil, err
	}
	return &d.Download, nil
}

// withoutDirect is a value of GOPROXY without the repositories themselves, to ask which can
// take long, unless there is nothing else.
func withoutDirect(value string) string {
	for _, direct := range []string{",direct", "|direct"} {
		value = strings.ReplaceAll(value, direct, "")
	}
	return value
}

// withoutMod is a value of GOFLAGS without what it says of a module.
func withoutMod(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(f string) bool {
		return strings.HasPrefix(strings.TrimLeft(f, "-"), "mod=") || strings.HasPrefix(strings.TrimLeft(f, "-"), "modfile=")
	}), " ")
}

func (c Config) goCommand(env []string, args ...string) ([]byte, error) {
	return c.goCommandContext(c.context(), env, args...)
}

func (c Config) goCommandContext(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "PWD="+c.Dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = time.Second // a child may keep its output open
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errNoGo
	}
	if err != nil {
		if words := strings.TrimSpace(stderr.String()); words != "" {
			return out, fmt.Errorf("go %s: %s", args[0], words)
		}
		return out, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}
