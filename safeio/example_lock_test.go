//go:build windows || (unix && !aix && (illumos || !solaris))

package safeio_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/lockvet/lockvet/safeio"
)

// mustLock is for examples in which another has the lock.
func mustLock(path string) *safeio.Held {
	h, err := safeio.Lock(path)
	if err != nil {
		log.Fatal(err)
	}
	return h
}

func ExampleLock() {
	path, clean := inTempDir("counter")
	defer clean()

	held, err := safeio.Lock(path)
	if err != nil {
		log.Fatal(err)
	}
	defer held.Unlock()
	// Load, change and save: no one else who locks does so meanwhile.
	if err := safeio.WriteFile(path, []byte("1"), 0o600); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: 1
}

// Several may read at once.
func ExampleRLock() {
	path, clean := inTempDir("index")
	defer clean()

	first, err := safeio.RLock(path)
	if err != nil {
		log.Fatal(err)
	}
	defer first.Unlock()
	second, err := safeio.TryRLock(path)
	if err != nil {
		log.Fatal(err)
	}
	defer second.Unlock()
	_, err = safeio.TryLock(path)
	fmt.Println(errors.Is(err, safeio.ErrLocked))
	// Output: true
}

func ExampleLockContext() {
	path, clean := inTempDir("state")
	defer clean()
	other := mustLock(path)
	defer other.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := safeio.LockContext(ctx, path)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleRLockContext() {
	path, clean := inTempDir("state")
	defer clean()

	held, err := safeio.RLockContext(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	defer held.Unlock()
	show(path)
	// Output: no file
}

// A program of which one instance is enough.
func ExampleTryLock() {
	path, clean := inTempDir("daemon")
	defer clean()
	other := mustLock(path)
	defer other.Unlock()

	held, err := safeio.TryLock(path)
	if errors.Is(err, safeio.ErrLocked) {
		fmt.Println("runs already")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer held.Unlock()
	fmt.Println("running")
	// Output: runs already
}

func ExampleTryRLock() {
	path, clean := inTempDir("index")
	defer clean()

	held, err := safeio.TryRLock(path)
	if err != nil {
		log.Fatal(err)
	}
	defer held.Unlock()
	fmt.Println("nobody writes")
	// Output: nobody writes
}

func ExampleLockedError() {
	path, clean := inTempDir("daemon")
	defer clean()
	other := mustLock(path)
	defer other.Unlock()

	_, err := safeio.TryLock(path)
	var locked *safeio.LockedError
	if errors.As(err, &locked) {
		fmt.Println(locked)
	}
	// Output: locked by this process
}

func ExampleLockedError_Holder() {
	path, clean := inTempDir("daemon")
	defer clean()
	other := mustLock(path)
	defer other.Unlock()

	_, err := safeio.TryLock(path)
	var locked *safeio.LockedError
	if errors.As(err, &locked) {
		fmt.Println("wait for", locked.Holder())
	}
	// Output: wait for this process
}

func ExampleLockedError_Is() {
	fmt.Println(errors.Is(&safeio.LockedError{}, safeio.ErrLocked))
	// Output: true
}

func ExampleHeld_Unlock() {
	path, clean := inTempDir("state")
	defer clean()

	held := mustLock(path)
	fmt.Println(held.Unlock())
	fmt.Println(errors.Is(held.Unlock(), fs.ErrClosed))
	// Output:
	// <nil>
	// true
}

func ExampleHeld_Name() {
	path, clean := inTempDir("state")
	defer clean()

	held := mustLock(path)
	defer held.Unlock()
	fmt.Println(held.Name() == path)
	// Output: true
}
