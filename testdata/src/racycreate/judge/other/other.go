// Package other starts a program that is another one.
package other

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

func pidPath(dir string) string { return filepath.Join(dir, "other.pid") }

// Start starts one in the background.
func Start(dir string) error {
	data, err := os.ReadFile(pidPath(dir))
	if err == nil {
		if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
			return nil
		}
	}
	return exec.Command("browser", dir).Start()
}

// Run says who it is.
func Run(dir string, work func() error) error {
	if err := os.WriteFile(pidPath(dir), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	defer os.Remove(pidPath(dir))
	return work()
}
