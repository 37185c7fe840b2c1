// Package judge asks in one function whether a process is at work, and writes in another
// which one is.
package judge

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func pidPath(dir string) string { return filepath.Join(dir, "judge.pid") }

// at is the process that is at work, and whether there is one.
func at(dir string) (int, bool) {
	data, err := os.ReadFile(pidPath(dir))
	if err != nil {
		return 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid <= 0 || syscall.Kill(pid, 0) != nil {
		return 0, false
	}
	return pid, true
}

// start starts a process unless there is one.
func start(dir string) (int, error) {
	if pid, ok := at(dir); ok {
		return pid, nil
	}
	cmd := exec.Command("worker", dir)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid := cmd.Process.Pid
	if err := os.WriteFile(pidPath(dir), []byte(strconv.Itoa(pid)), 0o644); err != nil { // want `start writes dir/judge.pid where nobody is at work, as far as at tells`
		return 0, err
	}
	return pid, nil
}

// number is that of the process, 0 where there is none.
func number(dir string) (int, error) {
	data, err := os.ReadFile(pidPath(dir))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		return 0, nil
	}
	if err := syscall.Kill(pid, 0); err != nil {
		os.Remove(pidPath(dir))
		return 0, nil
	}
	return pid, nil
}

// guard is the code with which the program ends, 0 for none.
func guard(dir string) int {
	pid, err := number(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if pid > 0 && pid != os.Getpid() {
		fmt.Println("process", pid, "runs already")
		return 1
	}
	return 0
}

func register(dir string) error {
	return os.WriteFile(pidPath(dir), []byte(strconv.Itoa(os.Getpid())), 0o644)
}

// Run has one callee that asks and another that writes.
func Run(dir string, work func() int) int {
	if code := guard(dir); code != 0 {
		return code
	}
	if err := register(dir); err != nil { // want `Run has dir/judge.pid written by register where nobody is at work, as far as guard tells`
		return 1
	}
	defer os.Remove(pidPath(dir))
	return work()
}

// ends leaves the program.
func ends(dir string, work func()) {
	pid, err := number(dir)
	if err != nil {
		return
	}
	if pid != 0 {
		fmt.Println("process", pid, "runs already")
		return
	}
	if err := register(dir); err != nil { // want `ends has dir/judge.pid written by register where nobody is at work, as far as number tells`
		return
	}
	work()
}

// listening is kept out by the address.
func listening(dir string) error {
	l, err := net.Listen("unix", filepath.Join(dir, "judge.sock"))
	if err != nil {
		return err
	}
	defer l.Close()
	if _, ok := at(dir); ok {
		return nil
	}
	return register(dir)
}

// listen is kept out by what it calls.
func listen(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }

func serving(dir, addr string) error {
	l, err := listen(addr)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, ok := at(dir); ok {
		return nil
	}
	return register(dir)
}

// anyPort is kept out by nothing.
func anyPort(dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	if _, ok := at(dir); ok {
		return nil
	}
	return register(dir) // want `anyPort has dir/judge.pid written by register where nobody is at work, as far as at tells`
}

// ousts removes the socket of another.
func ousts(dir string) error {
	sock := filepath.Join(dir, "judge.sock")
	os.Remove(sock)
	l, err := net.Listen("unix", sock)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, ok := at(dir); ok {
		return nil
	}
	return register(dir) // want `ousts has dir/judge.pid written by register where nobody is at work, as far as at tells`
}

// locked holds a lock over both.
func locked(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "judge.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	if _, ok := at(dir); ok {
		return nil
	}
	return register(dir)
}

// replaces ends the other one, and needs it.
func replaces(dir string) error {
	pid, ok := at(dir)
	if !ok {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	return register(dir)
}

// restarts ends the other one where there is one.
func restarts(dir string) error {
	if pid, ok := at(dir); ok {
		syscall.Kill(pid, syscall.SIGTERM)
	}
	return register(dir)
}

// status only tells.
func status(dir string) string {
	if pid, ok := at(dir); ok {
		return "runs as " + strconv.Itoa(pid)
	}
	return "does not run"
}

// refuses says by an error that there is another one.
func refuses(dir string) error {
	pid, err := number(dir)
	if err != nil {
		return err
	}
	if pid != 0 {
		return fmt.Errorf("process %d runs already", pid)
	}
	return register(dir) // want `refuses has dir/judge.pid written by register where nobody is at work, as far as number tells`
}

// again stops the other one, and goes on where that fails by none.
func again(dir string) (int, error) {
	if pid, ok := at(dir); ok && syscall.Kill(pid, syscall.SIGTERM) != nil {
		return pid, nil
	}
	return start(dir)
}

// daemonStart is called by the program itself, for a process that may keep others out.
func daemonStart(dir string, child int) error {
	if _, ok := at(dir); ok {
		return nil
	}
	return os.WriteFile(pidPath(dir), []byte(strconv.Itoa(child)), 0o644) // want `daemonStart writes dir/judge.pid where nobody is at work, as far as at tells`
}

// handled is what has been done already.
func handled(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "handled.lock"))
	return err == nil && processText(string(data))
}

func processText(text string) bool { return strings.TrimSpace(text) != "" }

// handle has nothing to do where it has been done.
func handle(dir string) error {
	if handled(dir) {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "handled.lock"), []byte("done"), 0o600)
}
