//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package safeio

import (
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkBareFlock is the least that a lock can cost.
func BenchmarkBareFlock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state.lock")
	for b.Loop() {
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

// BenchmarkLock is to cost at most twice as much.
func BenchmarkLock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	b.ReportAllocs()
	for b.Loop() {
		h, err := Lock(name)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Unlock(); err != nil {
			b.Fatal(err)
		}
	}
}
