package witness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say which tests are run, and how.
type Options struct {
	// Dir is a directory of the module whose packages are tested; the working directory where it is empty.
	Dir string
	// Packages are patterns as go test takes them; "./..." where there are none.
	Packages []string
	// Flags are flags of go test, and Args what follows -args.
	Flags, Args []string
	// Aside are directories in the module whose packages count as libraries: the place of an operation is that of the
	// call which leads there.
	Aside []string
	// Cache is the folder for the instrumented files. The go command caches builds by what they hold.
	Cache string
	// Env is added to the environment of the go command and of the tests.
	Env []string
	// Timeout ends the tests of a package, and an experiment. Where it is zero: ten minutes, and half a
	// minute and ten times what the test takes.
	Timeout time.Duration
	// Progress is told of each run before it starts; nil for nobody.
	Progress func(Step)
}

// A Step is a run of tests that is about to start.
type Step struct {
	// Does is "build", "record" or the name of an experiment.
	Does, Package, Test string
	// Number is that of the step, from 1, of Of steps of this phase.
	Number, Of int
}

// A Session runs the tests of a module. Nobody but its owner uses it at the same time.
type Session struct {
	opts    Options
	goroot  string
	gopath  string
	gocache string
	version string
	modules []string // directories of the main modules
	overlay string
	work    string
	runs    int
	flags   testFlags
	trace   *Trace
}

// New prepares a session: it instruments the standard library of the go command that Dir uses, and makes a directory
// for what the session leaves until it is closed.
func New(ctx context.Context, opts Options) (*Session, error) {
	if len(opts.Packages) == 0 {
		opts.Packages = []string{"./..."}
	}
	if opts.Progress == nil {
		opts.Progress = func(Step) {}
	}
	flags, err := splitFlags(opts.Flags)
	if err != nil {
		return nil, err
	}
	s := &Session{opts: opts, flags: flags}
	if err := s.environment(ctx); err != nil {
		return nil, err
	}
	if s.overlay, err = Instrument(s.goroot, s.version, opts.Cache); err != nil {
		return nil, err
	}
	if s.work, err = os.MkdirTemp("", "lv"); err != nil {
		return nil, fmt.Errorf("make a directory for the tests: %w", err)
	}
	if real, err := filepath.EvalSymlinks(s.work); err == nil {
		s.work = real
	}
	return s, nil
}

// Close removes what the session has left.
func (s *Session) Close() error { return removeAll(s.work) }

// removeAll removes a directory, what a test has left in it that nobody may change, and what a process that is being
// ended still writes there.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	for i := 0; err != nil && i < 20; i++ {
		walked := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
		if i > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		err = errors.Join(walked, os.RemoveAll(dir))
	}
	return err
}

// environment asks the go command where it is and which modules it works on.
func (s *Session) environment(ctx context.Context) error {
	out, err := s.goCommand(ctx, "env", "-json", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE",
		"GOVERSION", "GOFLAGS")
	if err != nil {
		return err
	}
	var env struct{ GOROOT, GOPATH, GOCACHE, GOMODCACHE, GOVERSION, GOFLAGS string }
	if err := json.Unmarshal(out, &env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if strings.Contains(env.GOFLAGS, "-overlay") {
		return errors.New("GOFLAGS has an -overlay of its own, and only one is possible: run without it")
	}
	s.goroot, s.gopath, s.gocache, s.version = env.GOROOT, env.GOPATH, env.GOCACHE, env.GOVERSION
	s.opts.Env = append(slices.Clip(s.opts.Env), "GOFLAGS=-ldflags=-w "+env.GOFLAGS) // no debugger comes to a binary
	if err := s.outside(env.GOMODCACHE); err != nil {
		return err
	}
	out, err = s.goCommand(ctx, "list", "-m", "-f", "{{if .Main}}{{.Dir}}{{end}}")
	if err != nil {
		return err
	}
	for dir := range strings.Lines(string(out)) {
		if dir = strings.TrimSpace(dir); dir != "" {
			s.modules = append(s.modules, dir)
		}
	}
	if len(s.modules) == 0 {
		return fmt.Errorf("%s is in no module: run in the directory of one", s.opts.Dir)
	}
	return nil
}

// outside has a release of Go that was downloaded like a module used by another name: the go command replaces no files
// below the module cache.
func (s *Session) outside(modCache string) error {
	if !strings.HasPrefix(s.goroot, modCache+string(filepath.Separator)) {
		return nil
	}
	sum := sha256.Sum256([]byte(s.goroot))
	link := filepath.Join(s.opts.Cache, "goroot-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(s.opts.Cache, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(s.goroot, link); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is below the module cache, where no files can be replaced: %w; install that release of Go",
			s.goroot, err)
	}
	s.goroot = link
	s.opts.Env = append(s.opts.Env, "GOROOT="+link, "GOTOOLCHAIN=local")
	return nil
}

// goCommand runs the go command in the directory of the session and returns its output.
func (s *Session) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	program := "go"
	if s.goroot != "" {
		program = filepath.Join(s.goroot, "bin", "go")
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.opts.Dir
	cmd.Env = append(os.Environ(), s.opts.Env...)
	if s.work != "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+s.work) // what it leaves when it is ended is removed with that
	}
	cmd.WaitDelay = 5 * time.Second
	killGroup(cmd)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return out, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

// testFlags are the flags of go test, by who takes them.
type testFlags struct{ build, binary []string }

// binaryFlags are the flags of go test that the test binary takes; true for those that need no value.
var binaryFlags = map[string]bool{
	"short": true, "failfast": true, "v": true, "fullpath": true,
	"count": false, "cpu": false, "parallel": false, "run": false, "skip": false, "shuffle": false, "timeout": false,
}

// dropped are flags that have no meaning here, and take no value.
var dropped = []string{"v", "json", "c", "i", "x", "n"}

// splitFlags tells the flags of a build from those of the test binary.
func splitFlags(flags []string) (testFlags, error) {
	var f testFlags
	for i := 0; i < len(flags); i++ {
		name, value, has := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		single, binary := binaryFlags[name]
		switch {
		case name == "overlay" || name == "exec" || name == "o" || name == "toolexec":
			return f, fmt.Errorf("the flag -%s cannot be used together with the recorder", name)
		case name == "trimpath" || slices.Contains(dropped, name):
		case !binary:
			f.build = append(f.build, flags[i])
			if !has && i+1 < len(flags) && !strings.HasPrefix(flags[i+1], "-") {
				i++
				f.build = append(f.build, flags[i])
			}
		case single && !has:
			f.binary = append(f.binary, "-test."+name)
		default:
			if !has {
				if i++; i == len(flags) {
					return f, fmt.Errorf("the flag -%s needs a value", name)
				}
				value = flags[i]
			}
			f.binary = append(f.binary, "-test."+name+"="+value)
		}
	}
	return f, nil
}
