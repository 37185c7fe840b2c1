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
// There is no fix: how long the lock is needed, and what to do without it, only
// the author knows.
//
// To silence one report, write //lockvet:ignore droppedlock REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - droppedlock/collected: the function locks an open file and returns, or
//     loops for ever, with no result, field or deferred Close that keeps the
//     file. The same holds for a caller that throws away the file, the lock or
//     the unlock function.
//   - droppedlock/descriptor: a lock is released through a file or lock object
//     that was made for the release and never locked: nothing is released.
//   - droppedlock/ignored: the error of the call that locks is dropped, or the
//     result of the call that tries to lock.
//   - droppedlock/inherited: the lock file is opened by the system call without
//     O_CLOEXEC, and the package starts programs. Each keeps the lock when this
//     process has ended.
//   - droppedlock/posix: a file on which the function has a POSIX record lock
//     is opened again and closed. Any close of the file in the process releases
//     the lock.
//
// # Silent
//
// The check is silent
//
//   - for a file that is returned, stored, captured or passed to code that
//     cannot be seen;
//   - for one that is closed or unlocked on every path that succeeds;
//   - for functions whose name asks whether another process holds the lock
//     (isLocked);
//   - for bare descriptors, and locks with one: the garbage collector does not
//     close those;
//   - for fcntl locks of the open file (F_OFD_SETLK);
//   - where another function than the one that locks opens the file again.
//
// # Fixes
//
// There is none. Return the error of the lock. Open the descriptor with
// O_CLOEXEC, or by os.OpenFile, which adds that. Defer the Close in a function
// that ends with the process. Elsewhere keep what holds the lock: a *safeio.Held
// holds it until it is unlocked.
package droppedlock
