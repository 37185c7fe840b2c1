package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// programs are the names of the executables that take part.
type programs struct {
	tmp                          string // for copies and caches, and where the programs are
	lockvet, noop, bareload, vet string
	staticcheck                  string // empty if it could not be built
	noStaticcheck                error  // why
}

// buildPrograms builds everything that takes part into a directory.
func buildPrograms(ctx context.Context, tmp string) (*programs, error) {
	p := &programs{tmp: tmp}
	for _, b := range []struct {
		exe *string
		pkg string
	}{
		{&p.lockvet, "github.com/lockvet/lockvet/cmd/lockvet"},
		{&p.noop, "github.com/lockvet/lockvet/tools/bench/noop"},
		{&p.bareload, "github.com/lockvet/lockvet/tools/bench/bareload"},
		{&p.vet, "cmd/vet"},
	} {
		*b.exe = filepath.Join(tmp, filepath.Base(b.pkg))
		if _, err := output(ctx, "go", "build", "-o", *b.exe, b.pkg); err != nil {
			return nil, err
		}
	}
	p.staticcheck, p.noStaticcheck = installStaticcheck(ctx, tmp)
	return p, nil
}

// installStaticcheck builds the newest staticcheck that the module proxy has.
func installStaticcheck(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "install", "honnef.co/go/tools/cmd/staticcheck@latest")
	cmd.Dir = dir // no main module's versions
	cmd.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "staticcheck"), nil
}

// vettools is the contest of the tools that go vet can run. The vet that comes
// with Go is named as a vettool like the others, so that it can be made new.
func (p *programs) vettools(t target) contest {
	c := contest{title: t.name + ", under go vet", dir: t.dir}
	tool := func(name, exe string, b bounds) {
		c.contestants = append(c.contestants, contestant{
			name:   name,
			bounds: b,
			fresh: func() (invocation, error) {
				fresh, err := freshTool(exe)
				args := append([]string{"go", "vet", "-vettool=" + fresh}, t.patterns...)
				return invocation{args: args, remove: fresh}, err
			},
		})
	}
	tool("no-op", p.noop, bounds{})
	tool("lockvet", p.lockvet, bounds{cpu: 1.15, peak: 1.3})
	tool("vet", p.vet, bounds{})
	return c
}

// freshTool copies a vettool so that the go command takes it for one that it
// has never seen. It knows a tool by what the tool answers to -V=full: a hash
// of the executable or, the vet of a Go release, its own name and the release.
// So both the name and the content are new; a loader does not mind a tail.
func freshTool(exe string) (string, error) {
	nonce := fmt.Sprint(time.Now().UnixNano())
	content, err := os.ReadFile(exe)
	if err != nil {
		return "", err
	}
	fresh := exe + "-" + nonce
	return fresh, os.WriteFile(fresh, append(content, nonce...), 0o755)
}

// standalone is the contest of the programs that load packages themselves. All
// leave out the tests, as lockvet does unless told otherwise.
func (p *programs) standalone(t target) contest {
	c := contest{title: t.name + ", standalone", dir: t.dir}
	program := func(name, cacheVariable string, b bounds, command ...string) {
		c.contestants = append(c.contestants, contestant{
			name:   name,
			bounds: b,
			fresh: func() (invocation, error) {
				cache, err := os.MkdirTemp(p.tmp, "cache-")
				return invocation{
					args:   slices.Concat(command, t.patterns),
					env:    []string{cacheVariable + "=" + cache},
					remove: cache,
				}, err
			},
		})
	}
	c.contestants = []contestant{{name: "bare load", fresh: func() (invocation, error) {
		return invocation{args: append([]string{p.bareload}, t.patterns...)}, nil
	}}}
	program("lockvet", "LOCKVET_CACHE", bounds{cpu: 1.5}, p.lockvet)
	if p.staticcheck != "" {
		program("staticcheck", "STATICCHECK_CACHE", bounds{}, p.staticcheck, "-tests=false")
	}
	return c
}

// output runs a command to its end and returns what it prints, without the
// space around it.
func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
