// Package droppedlock defines the check for locks between processes that are
// acquired and not held.
//
// # droppedlock
//
// An open file holds a file lock. When nothing refers to the *os.File any more,
// the garbage collector closes it. The lock is then released while the program
// still runs: minutes later, and never in a test. A lock is also worth nothing
// when the caller ignores whether the call acquired it.
//
// WRONG:
//
//	f, err := os.OpenFile(lockPath, os.O_RDWR|os.O_CREATE, 0o600)
//	if err != nil {
//		return err
//	}
//	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
//
// RIGHT:
//
//	d.lock, err = safeio.TryLock(path)
//	return err
//
// There is no fix: only the author knows how long the lock is needed, and what to
// do without it.
//
// To silence one report, write //lockvet:ignore droppedlock REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - droppedlock/collected: the function opens a file, locks it and returns, or
//     loops for ever, with no result, field or deferred Close that keeps the
//     file.
//   - droppedlock/ignored: the error of the call that locks is dropped, or the
//     result of the call that tries to lock.
//
// # Silent
//
// The check is silent
//
//   - for a file that is returned, stored, captured or passed to code that
//     cannot be seen;
//   - for one that is closed or unlocked on every path that succeeds, or by a
//     deferred call;
//   - for functions whose name asks whether another process holds the lock
//     (isLocked);
//   - for bare descriptors, and locks with one: the garbage collector does not
//     close those.
//
// # Fixes
//
// There is none. Return the error of the lock. Defer the Close in a function that
// runs as long as the process. Elsewhere keep what holds the lock: a *safeio.Held
// holds it until it is unlocked.
package droppedlock
