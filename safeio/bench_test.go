//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkBareFlock is the least that a lock can cost: three system calls.
func BenchmarkBareFlock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state.lock")
	for range b.N {
		fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o666)
		if err != nil {
			b.Fatal(err)
		}
		if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
			b.Fatal(err)
		}
		syscall.Close(fd)
	}
}

// BenchmarkOSFlock is what a program does that has only package os.
func BenchmarkOSFlock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state.lock")
	for range b.N {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			b.Fatal(err)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkLock is eight system calls: five more, to follow links, to know
// the lock file, to see who waits, to see that the file is still there, and
// to let go.
func BenchmarkLock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	b.ReportAllocs()
	for range b.N {
		h, err := Lock(name)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Unlock(); err != nil {
			b.Fatal(err)
		}
	}
}
