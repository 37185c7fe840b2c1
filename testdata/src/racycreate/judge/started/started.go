// Package started starts a program that says who it is, and does not ask.
package started

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

func pidPath(dir string) string { return filepath.Join(dir, "started.pid") }

func running(dir string) bool {
	data, err := os.ReadFile(pidPath(dir))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(data))
	return err == nil && syscall.Kill(pid, 0) == nil
}

// Start starts one in the background.
func Start(dir string) error {
	if running(dir) {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return exec.Command(exe, "run", dir).Start()
}

// Run is what it does.
func Run(dir string, work func() error) error {
	if err := os.WriteFile(pidPath(dir), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil { // want `Run writes the number of its process to dir/started.pid and does not ask who is at work; Start asks`
		return err
	}
	defer os.Remove(pidPath(dir))
	return work()
}

// Locked is for one process alone.
func Locked(dir string, work func() error) error {
	f, err := os.OpenFile(filepath.Join(dir, "started.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	if err := os.WriteFile(pidPath(dir), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	return work()
}

// Spawn writes the number as well, for those who ask meanwhile.
func Spawn(dir string) error {
	if running(dir) {
		return nil
	}
	cmd := exec.Command("started", "run", dir)
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(pidPath(dir), []byte(strconv.Itoa(cmd.Process.Pid)), 0o644)
}
