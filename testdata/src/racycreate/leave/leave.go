// Package leave leaves a file to whoever has it, without an error, or takes another
// name.
package leave

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func exists(path string) bool {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false
	}
	return true
}

// Refresh leaves the work to whoever does it already.
func Refresh(home string, work func() error) error {
	lock := filepath.Join(home, "refresh.lock")
	if exists(lock) {
		return nil
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil { // want `Refresh asks for home/refresh.lock before it makes it`
		return err
	}
	defer os.Remove(lock)
	return work()
}

// Poll removes the file when its goroutine is done.
func Poll(dir, id string, work func(string)) error {
	taken := filepath.Join(dir, "task.lock")
	if _, err := os.Stat(taken); err == nil {
		return nil
	}
	if err := os.WriteFile(taken, []byte(id), 0o600); err != nil { // want `Poll asks for dir/task.lock before it makes it`
		return err
	}
	go func() {
		defer os.Remove(taken)
		work(id)
	}()
	return nil
}

// Teardown waits for another one to be through, and then has nothing to do.
func Teardown(work func()) {
	const lock = "/run/teardown.lock"
	if _, err := os.Stat(lock); err == nil {
		for {
			time.Sleep(time.Second)
			if _, err := os.Stat(lock); os.IsNotExist(err) {
				return
			}
		}
	}
	f, err := os.OpenFile(lock, os.O_RDONLY|os.O_CREATE, 0o600) // want `Teardown asks for /run/teardown.lock before it makes it`
	if err == nil {
		defer f.Close()
		defer os.Remove(lock)
	}
	work()
}

func buildLock(dir, unit string) string { return filepath.Join(dir, unit, ".building.lock") }

func inProgress(dir, unit string) bool {
	data, err := os.ReadFile(buildLock(dir, unit))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return err == nil && syscall.Kill(pid, 0) == nil
}

// Build says what it leaves to another process.
func Build(dir, unit string, w io.Writer) error {
	if inProgress(dir, unit) {
		fmt.Fprintf(w, "%s: another process builds it already\n", unit)
		return nil
	}
	os.WriteFile(buildLock(dir, unit), []byte(strconv.Itoa(os.Getpid())), 0o600) // want `Build asks for dir/unit/.building.lock before it makes it`
	return nil
}

// nextFile looks for a name that is free.
func nextFile(dir, prefix string) (*os.File, error) {
	for i := range 1000 {
		path := filepath.Join(dir, fmt.Sprintf("%s%03d", prefix, i))
		if _, err := os.Stat(path); err != nil {
			return os.Create(path) // want `nextFile asks whether a name in dir is free before it makes the file`
		}
	}
	return nil, errors.New("no name is free")
}

// reserve takes the first port that nobody has.
func reserve(dir string) (int, error) {
	for port := 9000; port < 9100; port++ {
		path := filepath.Join(dir, fmt.Sprintf("port-%d.lock", port))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		return port, os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600) // want `reserve asks whether a name in dir is free before it makes the file`
	}
	return 0, errors.New("every port is taken")
}

var errConflict = errors.New("conflict")

// Hold refuses by name only.
func Hold(dir, id string) error {
	path := filepath.Join(dir, id+".lock")
	if _, err := os.Stat(path); err == nil {
		return errConflict
	}
	f, err := os.Create(path) // want `Hold asks for dir/id.lock before it makes it`
	if err != nil {
		return err
	}
	return f.Close()
}
