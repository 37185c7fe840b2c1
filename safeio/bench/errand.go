//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// errand is the first argument of a process that the bench starts of itself.
const errand = "errand"

// runErrand does what args say: "crowd", "cut", "state", or "write" some times.
func runErrand(args []string, out io.Writer) error {
	if len(args) != 4 {
		return fmt.Errorf("errand of %q", args)
	}
	kind, name, path := args[0], args[1], args[2]
	if kind == "state" {
		return runState(name, path, args[3], out)
	}
	if kind == "crowd" {
		length, err := time.ParseDuration(args[3])
		if err != nil {
			return err
		}
		who, err := find(crowds(), name)
		if err != nil {
			return err
		}
		return attend(who, path, length, os.Stdin, out)
	}
	times, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	if kind == "cut" {
		return runCut(name, path, times, out)
	}
	who, err := find(systemCalls(), name)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // or the runtime would add calls of its own
	for range times {
		if err := who.op(path); err != nil {
			return err
		}
	}
	return nil
}

func find(c contest, name string) (contender, error) {
	for _, who := range c.contenders {
		if who.name == name {
			return who, nil
		}
	}
	return contender{}, fmt.Errorf("no contender %q", name)
}

// systemCalls counts the system calls of WriteFile.
func systemCalls() contest {
	c := writes(200, onDisk)
	c.title, c.unit, c.turn, c.rounds, c.measure = "System calls of WriteFile", calls, 10, 1, counted
	c.contenders[2].bound = 17.0 / 8 // the floor has 8, and neither keeps the old inode nor asks it for its ACL
	return c
}

// fileCalls are the system calls with which files are written.
const fileCalls = "newfstatat,lstat,stat,open,openat,fcntl,flock,fstat,read,write,fsync,fdatasync," +
	"rename,renameat,renameat2,close,fchmod,chmod,fchmodat,fchown,unlink,unlinkat,ftruncate,rmdir," +
	"fgetxattr,fsetxattr,fremovexattr,epoll_ctl"

// canTrace reports whether strace is installed and may trace.
func canTrace() bool { return exec.Command("strace", "-o", os.DevNull, "true").Run() == nil }

// counted is the number of system calls of one operation: the difference that
// the operations of a turn make.
func counted(c contest, who contender, path string, o options) (float64, error) {
	if err := who.op(path); err != nil { // so that each operation that counts is over a file
		return 0, err
	}
	few, err := trace(who, path, 1)
	if err != nil {
		return 0, err
	}
	many, err := trace(who, path, 1+c.turn)
	return float64(many-few) / float64(c.turn), err
}

// trace counts the system calls of a process that operates some times.
func trace(who contender, path string, times int) (int, error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	log := filepath.Join(filepath.Dir(path), "trace")
	cmd := exec.Command("strace", "-f", "-qq", "-e", "signal=none", "-e", "trace="+fileCalls, "-o", log,
		exe, errand, "write", who.name, path, strconv.Itoa(times))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	calls, err := os.ReadFile(log)
	n := 0
	for line := range strings.Lines(string(calls)) {
		if !strings.Contains(line, " resumed>") {
			n++
		}
	}
	return n, err
}
