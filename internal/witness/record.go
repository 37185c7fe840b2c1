package witness

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A testPackage is a package with tests, or a command that takes the place of one.
type testPackage struct {
	ImportPath string
	Dir        string
	Name       string

	binary string
	probed string // the binary whose readers tell what they return; empty for none

	// command is what a shell runs in a copy of Dir; its binary is the folder of the programs.
	command  string
	programs []*testPackage
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// binaryName is how the go command names the test binary of the package: after its folder, if that is no version.
func (p *testPackage) binaryName() string {
	dir, base := path.Split(p.ImportPath)
	if majorVersion.MatchString(base) && dir != "" {
		return path.Base(dir)
	}
	return base
}

// Key names what the tests of the packages do depends on: what they are built of, the flags, and the files that stand
// beside the tests and in their testdata. It links nothing.
func (s *Session) Key(ctx context.Context) (string, error) {
	pkgs, err := s.packages(ctx)
	if err != nil || len(pkgs) == 0 {
		return "", err
	}
	args := append([]string{"list", "-e", "-test", "-deps", "-export", "-overlay=" + s.overlay, "-f",
		"{{.ImportPath}} {{.BuildID}} {{.Error}}"}, s.flags.build...)
	for _, p := range pkgs {
		args = append(args, p.ImportPath)
	}
	built, err := s.goCommand(ctx, args...)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %s\n", s.flags.binary, s.opts.Args, built)
	for _, p := range pkgs {
		if err := p.addFiles(sum); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addFiles adds to a hash the files that the tests of the package can read by relative names.
func (p *testPackage) addFiles(sum hash.Hash) error {
	return filepath.WalkDir(p.Dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != p.Dir && d.Name() != "testdata" && !strings.Contains(path, "testdata"+string(filepath.Separator)):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
}

// Record runs the tests of the packages once, with the recorder.
func (s *Session) Record(ctx context.Context) (*Trace, error) {
	pkgs, err := s.packages(ctx)
	if err != nil {
		return nil, err
	}
	if s.trace == nil {
		s.trace = &Trace{}
	}
	binaries, failed, err := s.build(ctx, pkgs, s.overlay)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		if p.binary = binaries[p]; p.binary == "" {
			s.trace.LeftOut = append(s.trace.LeftOut, LeftOut{Package: p.ImportPath, Why: failed})
		}
	}
	for i, pkg := range pkgs {
		if pkg.binary == "" {
			continue
		}
		s.opts.Progress(Step{Does: "record", Package: pkg.ImportPath, Number: i + 1, Of: len(pkgs)})
		if err := s.record(ctx, pkg); err != nil {
			return nil, err
		}
	}
	return s.trace, nil
}

// record runs the tests of a package. A test that hangs or panics ends all: the others run once more without it.
func (s *Session) record(ctx context.Context, pkg *testPackage) error {
	var skip []string
	for range 3 {
		r, err := s.run(ctx, pkg, pkg.binary,
			order{lines: []string{"keep"}, skip: skip, timeout: s.timeout(10 * time.Minute)})
		if err != nil {
			return errors.Join(err, keeper{s, nil}.restore(r))
		}
		s.trace.add(r)
		ended := r.endedBy()
		if len(ended) == 0 {
			return nil
		}
		for name := range r.tests { // those that have ended need not run again
			skip = append(skip, regexp.QuoteMeta(name))
		}
	}
	return nil
}

// endedBy are the tests without which others would have run.
func (r *run) endedBy() []string {
	var names []string
	for name, result := range r.tests {
		if result.outcome == "" || result.outcome == "FAIL" && strings.Contains(r.output, "panic: ") {
			names = append(names, name)
		}
	}
	return names
}

// timeout is what the owner has asked for, or else what is given.
func (s *Session) timeout(otherwise time.Duration) time.Duration {
	if s.opts.Timeout > 0 {
		return s.opts.Timeout
	}
	return otherwise
}

// add takes in what a run has shown.
func (t *Trace) add(r *run) {
	t.runs = append(t.runs, r)
	if r.failed != nil {
		t.LeftOut = append(t.LeftOut, LeftOut{Package: r.pkg.ImportPath, Why: r.failed.Error()})
	}
	for name, result := range r.tests {
		t.Tests++
		switch result.outcome {
		case "FAIL":
			why := "it fails without another process"
			if r.pkg.command != "" {
				why += ": " + r.lastLine()
			}
			t.LeftOut = append(t.LeftOut, LeftOut{r.pkg.ImportPath, name, why})
		case "":
			t.LeftOut = append(t.LeftOut, LeftOut{r.pkg.ImportPath, name, "it does not end without another process"})
		}
	}
	for _, p := range r.processes {
		t.Operations += len(p.ops)
	}
}

// packages are those of the session that have tests.
func (s *Session) packages(ctx context.Context) ([]*testPackage, error) {
	listed, err := s.list(ctx, s.opts.Packages)
	if err != nil {
		return nil, err
	}
	var pkgs []*testPackage
	for _, p := range listed {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			pkgs = append(pkgs, &p.testPackage)
		}
	}
	return pkgs, nil
}

// A listedPackage is what the go command says of a package.
type listedPackage struct {
	testPackage
	TestGoFiles, XTestGoFiles []string
}

// list asks the go command for the packages that match the patterns.
func (s *Session) list(ctx context.Context, patterns []string) ([]*listedPackage, error) {
	args := append([]string{"list", "-e",
		"-json=ImportPath,Dir,Name,TestGoFiles,XTestGoFiles"}, s.flags.build...)
	out, err := s.goCommand(ctx, append(args, patterns...)...)
	if err != nil {
		return nil, err
	}
	var pkgs []*listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, &p)
	}
}

// build makes the test binaries. Two packages whose folders have the same name cannot be built by one command. Where
// one cannot be made, failed says why.
func (s *Session) build(ctx context.Context, pkgs []*testPackage, overlay string) (
	binaries map[*testPackage]string, failed string, err error) {
	binaries = map[*testPackage]string{}
	for left := pkgs; len(left) > 0; {
		if p := left[0]; p.command != "" {
			if binaries[p], failed, err = s.buildPrograms(ctx, p, overlay); err != nil {
				return nil, "", err
			}
			left = left[1:]
			continue
		}
		var now, later []*testPackage
		taken := map[string]bool{}
		for _, p := range left {
			if name := p.binaryName(); taken[name] || p.command != "" {
				later = append(later, p)
			} else {
				taken[name] = true
				now = append(now, p)
			}
		}
		s.opts.Progress(Step{Does: "build", Package: now[0].ImportPath, Number: len(pkgs) - len(left) + 1, Of: len(pkgs)})
		why, err := s.compile(ctx, now, overlay, binaries)
		if err != nil {
			return nil, "", err
		}
		failed = cmp.Or(failed, why)
		left = later
	}
	return binaries, failed, nil
}

// compile makes the test binaries of packages whose folders have different names.
func (s *Session) compile(ctx context.Context, pkgs []*testPackage, overlay string, binaries map[*testPackage]string) (
	failed string, err error) {
	s.runs++
	dir := filepath.Join(s.work, "b"+strconv.Itoa(s.runs))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	args := append([]string{"test", "-c", "-vet=off", "-overlay=" + overlay, "-o", dir + string(filepath.Separator)},
		s.flags.build...)
	for _, p := range pkgs {
		args = append(args, p.ImportPath)
	}
	if _, err := s.goCommand(ctx, args...); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		failed = "its tests cannot be built: " + beginning(err)
	}
	for _, p := range pkgs {
		for _, end := range []string{".test", ".test.exe"} {
			if file := filepath.Join(dir, p.binaryName()+end); exists(file) {
				binaries[p] = file
			}
		}
	}
	return failed, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// An order is what a run is for.
type order struct {
	lines   []string // of the configuration of the recorder
	test    string   // the only test that runs; empty for all
	skip    []string // tests that do not run, as regular expressions
	timeout time.Duration
	// then looks at what the tests have left, before it is removed; nil for nothing.
	then func(*run)
}

// run runs a test binary, or a command, and reads what it has recorded.
func (s *Session) run(ctx context.Context, pkg *testPackage, binary string, o order) (*run, error) {
	s.runs++
	dir := filepath.Join(s.work, strconv.Itoa(s.runs))
	tmp := filepath.Join(dir, "t")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return nil, err
	}
	defer removeAll(dir)
	lines := o.lines
	for _, m := range s.modules {
		lines = append(lines, "root\t"+filepath.ToSlash(m))
	}
	for _, dir := range s.opts.Aside {
		lines = append(lines, "aside\t"+filepath.ToSlash(dir))
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout+10*time.Second)
	defer cancel()
	cmd := s.testCommand(ctx, binary, o)
	cmd.Dir = pkg.Dir
	if pkg.command != "" {
		var err error
		if cmd, err = s.shellCommand(ctx, pkg, dir); err != nil {
			return nil, err
		}
	}
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = s.testEnv(cmd.Dir, dir, tmp)
	if pkg.command != "" {
		cmd.Env = append(cmd.Env, s.shellEnv(binary, tmp)...)
	}
	killGroup(cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	endGroup(cmd, dir)
	r := &run{pkg: pkg, output: out.String(), tests: testResults(out.String())}
	if e := context.Cause(ctx); e != nil && !errors.Is(e, context.DeadlineExceeded) {
		return r, errors.Join(e, r.readTrace(dir))
	}
	if pkg.command != "" {
		r.tests = map[string]*testResult{pkg.command: shellResult(ctx, err, time.Since(begin))}
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.failed = fmt.Errorf("its tests did not end within %v", o.timeout)
	case err != nil && !errors.As(err, &exit):
		return nil, fmt.Errorf("run the tests of %s: %w", pkg.ImportPath, err)
	}
	if err := r.readTrace(dir); err != nil {
		return nil, fmt.Errorf("read what the tests of %s have recorded: %w", pkg.ImportPath, err)
	}
	if o.then != nil {
		o.then(r)
	}
	return r, nil
}

// testCommand runs a test binary as go test does.
func (s *Session) testCommand(ctx context.Context, binary string, o order) *exec.Cmd {
	args := []string{"-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + o.timeout.String()}
	args = append(args, s.flags.binary...)
	if o.test != "" {
		args = append(args, "-test.run=^"+regexp.QuoteMeta(o.test)+"$", "-test.count=1")
	}
	if len(o.skip) > 0 {
		args = append(args, "-test.skip=^("+strings.Join(o.skip, "|")+")$")
	}
	return exec.CommandContext(ctx, binary, append(args, s.opts.Args...)...)
}

// testEnv is the environment of a test in the folder work, as go test makes it, with the recorder's.
func (s *Session) testEnv(work, dir, tmp string) []string {
	flags := ""
	for _, v := range s.opts.Env {
		if f, ok := strings.CutPrefix(v, "GOFLAGS="); ok {
			flags = f
		}
	}
	overlay := "-overlay=" + s.overlay
	if strings.ContainsAny(overlay, " \t") {
		overlay = "'" + overlay + "'"
	}
	return append(append(os.Environ(), s.opts.Env...),
		"GOFLAGS="+strings.TrimSpace(flags+" "+overlay), "LOCKVET_WITNESS="+dir, "PWD="+work,
		"TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp, "GOTMPDIR="+tmp,
		"PATH="+filepath.Join(s.goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

var testLine = regexp.MustCompile(`\x16(?:=== RUN   (\S+)|--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\))`)

// testResults reads from the output of a test binary how its tests ended.
func testResults(output string) map[string]*testResult {
	results := map[string]*testResult{}
	for _, m := range testLine.FindAllStringSubmatch(output, -1) {
		name := m[1] + m[3]
		if strings.Contains(name, "/") {
			continue
		}
		if results[name] == nil {
			results[name] = &testResult{}
		}
		if m[2] != "" {
			seconds, _ := strconv.ParseFloat(m[4], 64)
			*results[name] = testResult{m[2], seconds}
		}
	}
	return results
}
