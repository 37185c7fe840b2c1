package srctest

import (
	"fmt"
	"strings"
)

// LockPackages are packages with locks by their import paths, as far as programs in
// tests call them.
var LockPackages = map[string]string{
	"github.com/gofrs/flock":                     flockStub,
	"github.com/rogpeppe/go-internal/lockedfile": mutexStub,
	"github.com/lockvet/lockvet/safeio":          safeioStub,
	"golang.org/x/sys/windows":                   windowsStub,
}

const flockStub = `package flock

type Flock struct{ path string }

func New(path string) *Flock { return &Flock{path} }

func (*Flock) Lock() error            { return nil }
func (*Flock) TryLock() (bool, error) { return true, nil }
func (*Flock) RLock() error           { return nil }
func (*Flock) Unlock() error          { return nil }
`

const mutexStub = `package lockedfile

type Mutex struct{}

func MutexAt(path string) *Mutex                 { return nil }
func (*Mutex) Lock() (unlock func(), err error) { return nil, nil }
`

const windowsStub = `package windows

type Handle uintptr

const (
	LOCKFILE_FAIL_IMMEDIATELY = 1
	LOCKFILE_EXCLUSIVE_LOCK   = 2
)

func LockFileEx(file Handle, flags, reserved, low, high uint32, ol *int) error { return nil }
func UnlockFileEx(file Handle, reserved, low, high uint32, ol *int) error      { return nil }
`

const safeioStub = `package safeio

type Held struct{}

func Lock(name string) (*Held, error)  { return nil, nil }
func RLock(name string) (*Held, error) { return nil, nil }
func (*Held) Unlock() error            { return nil }
`

// LockHelpers is a package of the program at example.com/agentd/lockutil, with lock helpers as programs write
// them.
const LockHelpers = `package lockutil

import (
	"os"
	"syscall"
)

func Acquire(path string) (func(), error) { return acquire(path) }

func acquire(path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Exclusive(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}

func Exclusive(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
func Release(f *os.File) error   { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func Do(f *os.File, how int) error { return syscall.Flock(int(f.Fd()), how) }

type Mode int16

const (
	Read   Mode = syscall.F_RDLCK
	Write  Mode = syscall.F_WRLCK
	Unlock Mode = syscall.F_UNLCK
)

func Record(f *os.File, how Mode) error {
	return syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: int16(how)})
}
`

// LockSource is source with the packages that lock.
func LockSource(text string) string {
	src := Complete(text)
	for _, path := range []string{
		"github.com/gofrs/flock", "github.com/rogpeppe/go-internal/lockedfile", "github.com/lockvet/lockvet/safeio", "golang.org/x/sys/windows", "example.com/agentd/lockutil",
	} {
		if strings.Contains(text, path[strings.LastIndexByte(path, '/')+1:]+".") {
			src = strings.Replace(src, "package p\n", fmt.Sprintf("package p\nimport %q\n", path), 1)
		}
	}
	return src
}
