package witness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// module is a module with the files.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if files["go.mod"] == "" && files["go.work"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.23\n"
	}
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const saver = `package m

import "os"

func Save(path, content string) error {
	return os.WriteFile(path, []byte(content), 0o600)
}
`

// saveSite is the write of saver.
func saveSite(dir string) Site { return Site{File: filepath.Join(dir, "m.go"), Line: 6, Func: "Save"} }

// TestLeftOut names tests that fail, hang and panic, and learns from the others.
func TestLeftOut(t *testing.T) {
	dir := module(t, map[string]string{"m.go": saver, "m_test.go": `package m

import "testing"

func TestFails(t *testing.T)  { t.Fatal() }
func TestHangs(t *testing.T)  { select {} }
func TestPanics(t *testing.T) { panic("as it should") }
func TestSaves(t *testing.T) {
	path := t.TempDir() + "/state"
	for _, s := range []string{"first", "second"} {
		if err := Save(path, s); err != nil {
			t.Fatal(err)
		}
	}
}
`})
	s, err := New(t.Context(), Options{Dir: dir, Cache: cache(t), Env: []string{"GOWORK=off"}, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	trace, err := s.Record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, l := range trace.LeftOut {
		left[l.Test] = true
	}
	if !left["TestFails"] || !left["TestHangs"] || !left["TestPanics"] || left["TestSaves"] {
		t.Errorf("left out: %v", trace.LeftOut)
	}
	proofs, err := s.Prove(t.Context(), []Claim{{Category: "tornwrite/inplace", Site: saveSite(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	if p := proofs[0]; p.Verdict != Proven || p.Test != "TestSaves" {
		t.Errorf("%s by %s: %s", p.Verdict, p.Test, p.Says)
	}
}

// TestOutside never touches a file that is neither the test's nor the module's.
func TestOutside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "state")
	dir := module(t, map[string]string{"m.go": saver, "m_test.go": `package m

import (
	"os"
	"testing"
)

func TestSaves(t *testing.T) {
	if err := Save(os.Getenv("OUTSIDE"), "content"); err != nil {
		t.Fatal(err)
	}
}

func TestLinked(t *testing.T) {
	path := t.TempDir() + "/state"
	if err := os.Symlink(os.Getenv("OUTSIDE"), path); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, "content"); err != nil {
		t.Fatal(err)
	}
}
`})
	s, err := New(t.Context(), Options{Dir: dir, Cache: cache(t), Env: []string{"GOWORK=off", "OUTSIDE=" + outside}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Record(t.Context()); err != nil {
		t.Fatal(err)
	}
	proofs, err := s.Prove(t.Context(), []Claim{{Category: "tornwrite/inplace", Site: saveSite(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	if p := proofs[0]; p.Verdict != Unreached {
		t.Errorf("%s: %s", p.Verdict, p.Says)
	}
	if content, err := os.ReadFile(outside); err != nil || string(content) != "content" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

// TestInModule puts back what an experiment has left of files in the module, and removes what it has left beside them.
func TestInModule(t *testing.T) {
	dir := module(t, map[string]string{"m.go": saver, "testdata/state": "first", "m_test.go": `package m

import (
	"os"
	"testing"
)

func TestSaves(t *testing.T) {
	if err := os.WriteFile("testdata/made", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove("testdata/made")
	f, err := os.CreateTemp("testdata", "random")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	if err := Save("testdata/state", "second"); err != nil {
		t.Fatal(err)
	}
	if err := Save("testdata/state", "first"); err != nil {
		t.Fatal(err)
	}
}
`})
	if err := os.Chmod(filepath.Join(dir, "testdata/state"), 0o640); err != nil {
		t.Fatal(err)
	}
	s, _ := recorded(t, dir)
	proofs, err := s.Prove(t.Context(), []Claim{{Experiments: []string{"kill"}, Site: saveSite(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	if p := proofs[0]; p.Verdict != Proven {
		t.Errorf("%s: %s", p.Verdict, p.Says)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "testdata/state")); err != nil || string(content) != "first" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "testdata/state")); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "testdata", "*")); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

// TestCancelled ends the tests, and what they have started, when the context ends.
func TestCancelled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere, a process with a group of its own goes on")
	}
	dir := module(t, map[string]string{"m.go": saver, "m_test.go": `package m

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

func TestSleeps(t *testing.T) {
	if err := os.MkdirAll(t.TempDir()+"/a/b", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("left", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chmod(t.TempDir(), 0)
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(os.Getenv("STARTED")+".pid", []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
	os.WriteFile(os.Getenv("STARTED"), nil, 0o600)
	cmd.Wait()
}
`})
	started := filepath.Join(t.TempDir(), "started")
	s, err := New(t.Context(), Options{Dir: dir, Cache: cache(t), Env: []string{"GOWORK=off", "STARTED=" + started}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(started) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	begin := time.Now()
	if _, err := s.Record(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Record: %v", err)
	}
	if took := time.Since(begin); took > 50*time.Second {
		t.Errorf("it took %v", took)
	}
	pid, err := os.ReadFile(started + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	status := filepath.Join("/proc", string(pid), "status")
	for range 100 {
		if content, err := os.ReadFile(status); err != nil || strings.Contains(string(content), "State:\tZ") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if content, err := os.ReadFile(status); err == nil && !strings.Contains(string(content), "State:\tZ") {
		t.Error("a process that the test has started still runs")
	}
	if exists(filepath.Join(dir, "left")) {
		t.Error("a file in the module is left")
	}
	work := s.work
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if exists(work) {
		t.Errorf("%s is left", work)
	}
}

func TestFlags(t *testing.T) {
	f, err := splitFlags([]string{"-race", "-tags", "a,b", "-short", "-run=X", "-count", "2", "-v", "-trimpath"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.build, " "); got != "-race -tags a,b" {
		t.Errorf("build: %s", got)
	}
	if got := strings.Join(f.binary, " "); got != "-test.short -test.run=X -test.count=2" {
		t.Errorf("binary: %s", got)
	}
	if _, err := splitFlags([]string{"-overlay=x"}); err == nil {
		t.Error("an overlay is accepted")
	}
}

func TestBinaryName(t *testing.T) {
	for path, want := range map[string]string{"a/b": "b", "a/b/v2": "b", "a": "a", "a/v2/c": "c", "v2": "v2"} {
		if got := (&testPackage{ImportPath: path}).binaryName(); got != want {
			t.Errorf("%s: %s; want %s", path, got, want)
		}
	}
}

func TestLocal(t *testing.T) {
	s := &Session{work: filepath.FromSlash("/tmp/lv1")}
	for text, want := range map[string]string{
		"decode /tmp/lv1/5/t/TestX12/001/a/session.json: EOF": "decode a/session.json: EOF",
		"open /tmp/lv1/5/t/TestX12/002: is a directory":       "open .: is a directory",
		"open /tmp/lv1/12/t/made3/session.json":               "open made3/session.json",
		"open /tmp/lv12/5/t/x, /tmp/lv1/5/t/x":                "open /tmp/lv12/5/t/x, x",
	} {
		if got := s.local(filepath.FromSlash(text)); got != filepath.FromSlash(want) {
			t.Errorf("%s becomes %s; want %s", text, got, want)
		}
	}
}
