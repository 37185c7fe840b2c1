//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/lsptest"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// TestEditorShowsProof: what was proven stands in the hover, until the source changes.
func TestEditorShowsProof(t *testing.T) {
	t.Setenv(cacheVariable, t.TempDir())
	for name, value := range map[string]string{"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	dir := copySeed(t, "gatestate")
	c := command{analyzer: analyzer.NewWithHelper, stdout: io.Discard, stderr: io.Discard}
	if code := c.run([]string{"prove", "-C", dir, "./..."}); code != exitFindings {
		t.Fatalf("prove: exit code %d", code)
	}
	e := connect(t)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	d := e.Diagnostics(name, some)[0]
	text := e.Hover(name, d.Range.Start).Contents.Value
	if !strings.Contains(text, "\nproven: TestHeartbeat (gate\\_test.go:46): another process saved") {
		t.Errorf("the hover has no proof:\n%s", text)
	}
	e.Type(name, strings.Replace(e.Text(name), "\nconst (", "\n\nconst (", 1))
	e.Save(name)
	moved := d.Range.Start.Line + 1
	d = e.Diagnostics(name, func(list []protocol.Diagnostic) bool { return some(list) && list[0].Range.Start.Line == moved })[0]
	if text := e.Hover(name, d.Range.Start).Contents.Value; strings.Contains(text, "proven: ") {
		t.Errorf("the source has changed, and the hover has the proof:\n%s", text)
	}
}

// TestProveInterrupted: an interrupt ends the tests that run, and nothing is left: no process, no file.
func TestProveInterrupted(t *testing.T) {
	t.Parallel()
	dir, tmp := workDir(t), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/slow\n\ngo 1.24\n",
		"slow.go": "package slow\n",
		"slow_test.go": `package slow

import (
	"os"
	"os/exec"
	"testing"
)

func TestSlow(t *testing.T) {
	if err := os.WriteFile(t.TempDir()+"/begun", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	exec.Command("sleep", "3600").Run()
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(buildLockvet(t), "prove", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "TMPDIR="+tmp)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := func() bool {
		names, err := filepath.Glob(filepath.Join(tmp, "lv*", "*", "t", "TestSlow*", "*", "begun"))
		return err == nil && len(names) > 0
	}
	for deadline := time.Now().Add(5 * time.Minute); !begun(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the test does not begin:\n%s", out.String())
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(out.String(), "interrupted; nothing is left behind") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if out, err := exec.Command("pgrep", "-f", "slow.test").Output(); err == nil {
		t.Errorf("still running: %s", out)
	}
}

func TestRemaining(t *testing.T) {
	for _, test := range []struct {
		took     time.Duration
		done, of int
		want     time.Duration
	}{
		{10 * time.Second, 0, 4, 0}, // nothing is known yet
		{patience / 2, 1, 4, 0},     // nor is so little
		{10 * time.Second, 1, 4, 30 * time.Second},
		{10 * time.Second, 4, 4, 0},
	} {
		if got := remaining(test.took, test.done, test.of); got != test.want {
			t.Errorf("%d of %d in %v: %v are left, want %v", test.done, test.of, test.took, got, test.want)
		}
	}
}
