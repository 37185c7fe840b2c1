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

// BenchmarkFlockTarget is the other design: the target itself is locked, and whoever
// has the lock looks whether the name still leads to it.
func BenchmarkFlockTarget(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for range b.N {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			b.Fatal(err)
		}
		var have, named syscall.Stat_t
		if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
			b.Fatal(err)
		}
		if syscall.Fstat(fd, &have) != nil || syscall.Stat(name, &named) != nil || have.Ino != named.Ino {
			b.Fatal("another file")
		}
		syscall.Flock(fd, syscall.LOCK_UN)
		syscall.Close(fd)
	}
}

func BenchmarkWriteFile(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	data := make([]byte, 200)
	b.ReportAllocs()
	for range b.N {
		if err := WriteFile(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOSWriteFile is the least that a write can cost, and leaves it torn.
func BenchmarkOSWriteFile(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	data := make([]byte, 200)
	for range b.N {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteFileNoSync(b *testing.B) {
	name := filepath.Join(b.TempDir(), "state")
	data := make([]byte, 200)
	b.ReportAllocs()
	for range b.N {
		if err := WriteFileNoSync(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}
