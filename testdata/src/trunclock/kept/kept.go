// Package kept locks files for as long as it has them open.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
)

var errRunning = errors.New("already running")

// claim says who runs, in a file that the one who runs keeps locked.
func claim(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir+"/daemon.pid", os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o644) // want `claim empties dir/daemon\.pid before the lock on it is held.*no fix: it stays locked, and may not be replaced: open it without O_TRUNC, and empty it by Truncate once it is locked`
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, errRunning
	}
	fmt.Fprintf(f, "%d\n", os.Getpid())
	return f, nil
}

type owner struct{ Pid, Port int }

type daemon struct {
	path string
	lock *os.File
}

// start tells more of who runs.
func (d *daemon) start(port int) error {
	f, err := os.Create(d.path + "/owner.json") // want `\(\*daemon\)\.start empties d\.path/owner\.json before the lock on it is held`
	if err != nil {
		return err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		f.Close()
		return errRunning
	}
	if err := json.NewEncoder(f).Encode(owner{os.Getpid(), port}); err != nil {
		f.Close()
		return err
	}
	d.lock = f
	return nil
}

// claimed locks the file and says who runs.
func claimed(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	_, err := fmt.Fprintf(f, "%d", os.Getpid())
	return err
}

// agent leaves the lock and the content to one helper.
func agent(dir string) (*os.File, error) {
	f, err := os.Create(dir + "/agent.lock") // want `agent empties .* or by the call that locks it`
	if err != nil {
		return nil, err
	}
	if err := claimed(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
