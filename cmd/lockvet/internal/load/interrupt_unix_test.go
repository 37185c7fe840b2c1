//go:build unix

package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

// An interrupt ends the go command too, which else would go on compiling in the
// background.
func TestInterrupt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			pidFile := filepath.Join(dir, "pid")
			fake := "#!/bin/sh\necho $$ > " + pidFile + ".new && mv " + pidFile + ".new " + pidFile + "\nexec sleep 100\n"
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))

			failed := make(chan error, 1)
			go func() {
				_, err := load.Config{Dir: dir}.Packages("./...")
				failed <- err
			}()
			pid := started(t, pidFile)
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "interrupted") {
				t.Errorf("error %v, want one that says interrupted", err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the go command is still there (%v)", err)
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// started waits until a process has written its id.
func started(t *testing.T, name string) int {
	t.Helper()
	for range 3000 {
		if data, err := os.ReadFile(name); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the go command was not started within half a minute")
	return 0
}
