// Package trunclock defines the check for files that are truncated before their
// lock is held.
//
// # trunclock
//
// A lock protects a file only from code that acquires the lock first. os.Create
// and O_TRUNC empty the file when it is opened, and its lock can only be
// acquired afterwards. A process that waits for the lock, or is refused, has by
// then emptied the file of the holder.
//
// WRONG:
//
//	f, err := os.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
//		return err
//	}
//	return json.NewEncoder(f).Encode(s)
//
// RIGHT:
//
//	f, err := safeio.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if err := json.NewEncoder(f).Encode(s); err != nil {
//		return err
//	}
//	return f.Commit()
//
// The fix publishes the file through safeio.Create and Commit, and drops the
// lock. A file that stays locked while the program runs has no fix: open it
// without O_TRUNC, and truncate it under the lock.
//
// To silence one report, write //lockvet:ignore trunclock REASON on its line or
// on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - trunclock/open: the file is truncated, then the lock on its handle is
//     acquired.
//   - trunclock/sidecar: the file is truncated, then the lock on a file beside
//     it is acquired, and then it is written.
//
// # Silent
//
// The check is silent
//
//   - when the function or all of its callers acquire a lock first;
//   - when the file is truncated under the lock;
//   - for a lock file that nobody writes;
//   - for fresh temporary files, and files that the user named;
//   - for packages that serve tests.
//
// # Fixes
//
// The lock on the handle is dropped where the function takes it itself, and all
// other functions of the package that lock the file only read it. Elsewhere there
// is none.
//
// What stays: the content and the name of each file, and the errors of each
// save.
//
// To review: code elsewhere that relied on the lock of the handle; in the
// package there is none. A replaced file is a new one for programs that have
// the old one open.
package trunclock
