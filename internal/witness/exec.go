package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Exec runs a command in place of tests: the main packages among those of the session are built with the recorder, and
// a shell runs the command with them first in PATH. What it shows is added to the trace, as of one test that has the
// name of the command. [Session.Prove] runs it again for each experiment. A command that fails without another process
// is left out, and so is one whose programs cannot be built.
//
// Each run has a copy of Options.Dir as its working directory, without what version control keeps there, and a home
// directory that is empty. The copy is removed after it: nothing that the command does by relative names reaches the
// directory itself. What it does by absolute names elsewhere, it does; no other process is played there.
func (s *Session) Exec(ctx context.Context, command string) (*Trace, error) {
	dir, err := filepath.Abs(s.opts.Dir)
	if err != nil {
		return nil, err
	}
	pkg := &testPackage{Dir: dir, command: command}
	listed, err := s.list(ctx, s.opts.Packages)
	if err != nil {
		return nil, err
	}
	for _, p := range listed {
		if p.Name == "main" {
			pkg.programs = append(pkg.programs, &p.testPackage)
		}
	}
	if s.trace == nil {
		s.trace = &Trace{}
	}
	leave := func(why string) (*Trace, error) {
		s.trace.LeftOut = append(s.trace.LeftOut, LeftOut{Test: command, Why: why})
		return s.trace, nil
	}
	if len(pkg.programs) == 0 {
		return leave("there is no main package among " + strings.Join(s.opts.Packages, " "))
	}
	binaries, failed, err := s.build(ctx, []*testPackage{pkg}, s.overlay)
	if err != nil {
		return nil, err
	}
	if pkg.binary = binaries[pkg]; pkg.binary == "" {
		return leave(failed)
	}
	s.opts.Progress(Step{Does: "record", Test: command, Number: 1, Of: 1})
	r, err := s.run(ctx, pkg, pkg.binary, order{lines: []string{"keep"}, timeout: s.timeout(10 * time.Minute)})
	if err != nil {
		return nil, err
	}
	r.output = s.local(r.output)
	s.trace.add(r)
	return s.trace, nil
}

// buildPrograms makes the programs of a command in a folder; empty where one cannot be made, and failed says why.
func (s *Session) buildPrograms(ctx context.Context, pkg *testPackage, overlay string) (dir, failed string, err error) {
	s.runs++
	dir = filepath.Join(s.work, fmt.Sprintf("b%d", s.runs))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	s.opts.Progress(Step{Does: "build", Package: pkg.programs[0].ImportPath, Number: 1, Of: 1})
	args := append([]string{"build", "-overlay=" + overlay, "-o", dir + string(filepath.Separator)}, s.flags.build...)
	for _, p := range pkg.programs {
		args = append(args, p.ImportPath)
	}
	if _, err := s.goCommand(ctx, args...); err != nil {
		return "", "its programs cannot be built: " + beginning(err), ctx.Err()
	}
	return dir, "", nil
}

// shellCommand runs the command of pkg in a copy of its directory.
func (s *Session) shellCommand(ctx context.Context, pkg *testPackage, dir string) (*exec.Cmd, error) {
	work := filepath.Join(dir, "w")
	if err := s.copyDir(pkg.Dir, work); err != nil {
		return nil, fmt.Errorf("copy %s for the command: %w", pkg.Dir, err)
	}
	shell, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/c"
	}
	cmd := exec.CommandContext(ctx, shell, flag, pkg.command)
	cmd.Dir = work
	return cmd, nil
}

// shellEnv is what the environment of a command has beyond that of tests: its programs, and a home of its own.
func (s *Session) shellEnv(programs, tmp string) []string {
	home := filepath.Join(tmp, "home")
	os.Mkdir(home, 0o700)
	env := []string{"PATH=" + programs + string(os.PathListSeparator) + filepath.Join(s.goroot, "bin") +
		string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		env = append(env, name+"="+home)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		env = append(env, name+"=")
	}
	return append(env, "GOPATH="+s.gopath, "GOCACHE="+s.gocache)
}

// shellResult is how a command ended.
func shellResult(ctx context.Context, err error, took time.Duration) *testResult {
	switch {
	case ctx.Err() != nil:
		return &testResult{"", took.Seconds()}
	case err != nil:
		return &testResult{"FAIL", took.Seconds()}
	}
	return &testResult{"PASS", took.Seconds()}
}

// lastLine is the end of what a run has printed.
func (r *run) lastLine() string {
	output := strings.TrimSpace(r.output)
	return cmp.Or(output[strings.LastIndexByte(output, '\n')+1:], "it prints nothing")
}

// beginning has the first lines of an error.
func beginning(err error) string {
	lines := strings.SplitN(err.Error(), "\n", 4)
	return strings.Join(lines[:min(len(lines), 3)], "; ")
}

// mostCopied is how much a directory may hold in which a command is run.
const mostCopied = 1 << 30

// copyDir copies a directory. Links are copied as links, and what is neither file, directory nor link is left out.
func (s *Session) copyDir(from, to string) error {
	left := int64(mostCopied)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == s.work || d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(link, target))
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if left -= info.Size(); left < 0 {
			return fmt.Errorf("it holds more than %d MB: run in a directory of its own", mostCopied>>20)
		}
		content, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(target, content, info.Mode().Perm()|0o200))
	})
}
