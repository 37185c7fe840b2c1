// Package droppedlock defines the check for locks between processes that are
// taken and not held.
//
// # droppedlock
//
// A file lock is held by an open file. When nothing refers to the *os.File any
// more, the garbage collector closes it, and the lock is gone while the program
// still runs: minutes later, and never in a test. A lock is as good as not taken,
// too, when nobody looks at whether the call has got it.
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
// Variants, each a diagnostic category of its own:
//
//   - droppedlock/collected: the function that locks an open file of its own
//     comes to its end, or goes on for ever, with nothing that keeps the file:
//     neither a result nor a field nor a deferred Close. Or a caller throws away
//     the open file, the lock or the function that unlocks it, which it is handed.
//   - droppedlock/descriptor: a lock is let go through a file that was opened for
//     that, or a lock object made for that, and never locked: it lets go of
//     nothing.
//   - droppedlock/ignored: nobody looks at the error of the call that locks, or
//     at the answer of the one that tries.
//   - droppedlock/inherited: the lock file is opened by the system call without
//     O_CLOEXEC, and the package starts programs: each of them keeps the lock when
//     this process has ended.
//   - droppedlock/posix: a file on which the function has a POSIX record lock is
//     opened once more and closed: any close of the file in the process lets go of
//     the lock.
//
// The check is silent for a file that is returned, stored, captured or given to
// code that cannot be seen; for one that is closed or unlocked wherever the
// function comes to its end well; for functions that are named as asking whether
// another has the lock (isLocked); for bare descriptors, which nothing collects,
// and locks that hold one; for locks of fcntl that belong to the open file; for
// an open of the same file in another function than the one that locks it, which
// may happen when nothing is locked.
//
// The fix gives the error of the lock to the caller, where the function returns
// one and lets go of nothing later by hand; opens the descriptor with O_CLOEXEC;
// closes the open file by a defer in a function that ends with the process only;
// and has the lock from safeio.TryLock, which holds it until the process ends, in
// one that does nothing but try to take it. That is a lock on the same file where
// its name ends in ".lock", and on a hidden one beside it where nobody else in the
// package goes by it. For the rest the report stands alone: where the lock is to be kept only the
// author can say. A *safeio.Held that is kept holds its lock until it is unlocked.
//
// What stays: which file is locked, or, with safeio.TryLock alone, a hidden file
// beside it.
//
// To review: an error of the lock is returned now where it was dropped: on a
// file system without locks the program says so instead of running unlocked.
package droppedlock
