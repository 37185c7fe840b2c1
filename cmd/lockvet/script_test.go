package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lockvet/lockvet/analyzer"
)

var update = flag.Bool("update", false, "rewrite the files that scripts compare output with")

// commands are what the program under test is under the names that scripts use:
// lockvet is the real one, lockvet-fake the same with an analyzer that the scripts
// can steer, lockvet-logged the real one that enters its last argument into the file
// $LOCKVET_LOG; cacheprog is a cache for the go command.
var commands = map[string]func(){
	"lockvet":   func() { start(0) },
	"cacheprog": cacheProgram,
	"lockvet-logged": func() {
		log, err := os.OpenFile(os.Getenv("LOCKVET_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = fmt.Fprintln(log, os.Args[len(os.Args)-1])
		}
		if err != nil {
			panic(err)
		}
		main()
	},
	"lockvet-slow": slowly,
	"lockvet-fake": func() {
		c := command{analyzer: newFake, stdout: os.Stdout, stderr: os.Stderr}
		os.Exit(c.run(os.Args[1:]))
	},
}

func TestMain(m *testing.M) {
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0") // scripts run the commands often
	testscript.Main(inBuilt{m}, commands)
}

func TestScript(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("no go command:", err)
	}
	dirs := strings.Fields(string(out))
	programs, err := testPrograms()
	if err != nil {
		t.Fatal(err)
	}
	params := testscript.Params{
		Dir:         "../../testdata/script",
		WorkdirRoot: workDir(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", dirs[0])
			env.Setenv("GOMODCACHE", dirs[1])
			env.Setenv("GOPROXY", "off")
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GO111MODULE", "")
			env.Setenv(cacheVariable, "off") // lockvet and lockvet-fake are one program
			for name, path := range programs {
				env.Setenv(strings.ToUpper(strings.ReplaceAll(name, "-", "_")), path) // such as $LOCKVET
			}
			return serveSafeio(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"add":    add,
			"crlf":   crlf,
			"escape": escape,
			"mode":   mode,
			"why":    why,
		},
		RequireExplicitExec: true,
		UpdateScripts:       *update,
	}
	goproxytest.Setup(&params)
	testscript.Run(t, params)
}

// serveSafeio puts safeio into the proxy of a script that has one, and gives the script
// a module cache of its own.
func serveSafeio(env *testscript.Env) error {
	proxy := filepath.Join(env.WorkDir, goproxytest.GoModProxyDir)
	if _, err := os.Stat(proxy); err != nil {
		return nil
	}
	env.Setenv("GOFLAGS", "-modcacherw")
	dir := filepath.Join(proxy, "github.com_lockvet_lockvet_safeio_v0.9.0")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	files, err := filepath.Glob("../../safeio/*.go")
	if err != nil {
		return err
	}
	digest := sha256.New()
	for _, name := range append(files, "../../safeio/go.mod") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o666)
		}
		if err != nil {
			return err
		}
		digest.Write(content)
	}
	// The go command takes a folder of the module cache for one that never changes.
	env.Setenv("GOMODCACHE", filepath.Join(env.WorkDir, fmt.Sprintf(".modcache-%x", digest.Sum(nil)[:6])))
	return nil
}

// crlf rewrites a file with CR LF line endings: crlf file. Negated, it fails
// if the file has one.
func crlf(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	content := ts.ReadFile(name)
	if neg {
		if strings.Contains(content, "\r") {
			ts.Fatalf("%s has CR LF line endings", args[0])
		}
		return
	}
	ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(content, "\n", "\r\n")), 0o666))
}

// escape puts the escape character of terminals where a file has its picture:
// escape file.
func escape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: escape file")
	}
	content := strings.ReplaceAll(ts.ReadFile(args[0]), "\u241b", "\x1b")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o666))
}

// mode checks the permissions of a file: mode -rw-r----- file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(filepath.Clean(ts.MkAbs(args[1])))
	ts.Check(err)
	if (info.Mode().String() == args[0]) == neg {
		ts.Fatalf("%s has mode %s", args[1], info.Mode())
	}
}

// add appends a line to a file: add file text.
func add(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: add file text")
	}
	content := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content+args[1]+"\n"), 0o666))
}

// why prints what lockvet why says of lines of one file, of which one analysis knows all: why file line...
func why(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: why file line...")
	}
	c := command{analyzer: analyzer.NewWithHelper, stdout: ts.Stdout(), stderr: ts.Stderr()}
	o, err := c.parse([]string{"-C", ts.MkAbs("."), args[0]})
	ts.Check(err)
	s := c.newSession(o)
	t, err := s.analyseFor(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, n := range args[1:] {
		at, err := parseLine(args[0]+":"+n, ts.MkAbs("."))
		ts.Check(err)
		answer, err := s.explainLine(t, at)
		ts.Check(err)
		ts.Check(answer.text(s.stdout, s.columns()))
	}
}
