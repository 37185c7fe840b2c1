//go:build unix

package witness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// killGroup has the cancellation of cmd end also the processes that it has started.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what cmd has started and left, and what has a group of its own but is recorded in dir, where the system
// shows the environment of processes.
func endGroup(cmd *exec.Cmd, dir string) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, name := range environments {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			continue // it belongs to somebody else, or is gone
		}
		for v := range bytes.SplitSeq(content, []byte{0}) {
			if string(v) == "LOCKVET_WITNESS="+dir {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
