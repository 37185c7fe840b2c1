package main

import (
	"errors"
	"os"
	"syscall"
)

// costOf is the cost of a process that was waited for and of all descendants
// that were waited for in turn: wait4(2) adds up their times and takes the
// maximum of their memory.
func costOf(s *os.ProcessState) (cost, error) {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, errors.New("the system does not say what a process took")
	}
	return cost{cpu: s.UserTime() + s.SystemTime(), peak: usage.Maxrss * 1024}, nil
}
