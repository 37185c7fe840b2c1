// Package earlyrelease defines the check for locks and claims that are released
// before the clean-up that they protect has run.
//
// # earlyrelease
//
// A claim is a lock, or the entry of a registry that keeps others from a file.
// Code that releases it and cleans up afterwards may remove what the next
// holder has just made. A third process then acquires the same lock.
//
// With flock the order does not even matter. The lock is on the file, not on
// its name. Once the name is removed, other processes cannot find the file that
// the holder has locked, and the next one creates and locks a new file.
//
// WRONG:
//
//	r.mu.Lock()
//	delete(r.held, session)
//	r.mu.Unlock()
//	go func() {
//		l.file.Close()
//		os.Remove(l.path)
//	}()
//
// RIGHT:
//
//	go func() {
//		l.file.Close()
//		os.Remove(l.path)
//		r.mu.Lock()
//		delete(r.held, session)
//		r.mu.Unlock()
//	}()
//
// The fix deletes the call that removes a lock file: safeio never removes one.
// For a registry, it moves the deletion of the entry after the clean-up.
//
// To silence one report, write //lockvet:ignore earlyrelease REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - earlyrelease/unlink: a lock file that is locked with flock is removed by
//     its holder, after the release, or by other code. A file counts as a lock
//     file by its name, or because the code that locks it creates it and the
//     code that releases the lock removes it.
//   - earlyrelease/registry: the entry of a registry, which is a map, is deleted
//     before the file that it protects is removed, maybe in a goroutine or
//     helper.
//
// # Silent
//
// The check is silent
//
//   - for a lock file that is made with O_EXCL and not locked: its removal is
//     the release;
//   - where all code that locks the file checks afterwards that the name still
//     refers to it;
//   - for pid files: programs use their content, not the lock on them;
//   - for files in a fresh temporary directory, and files other than the locked
//     one;
//   - for registries, unless a function checks for an entry and sets its own
//     before it creates or locks the same file;
//   - where the function holds a mutex from the deletion of the entry until the
//     clean-up is done.
//
// # Fixes
//
// The removal of a lock file is deleted, and the empty file stays. There is no fix
// where the file may have content, where the code checks for the file without the
// lock or removes its directory, and in the directory for temporary files. The
// deletion of an entry moves after the clean-up.
//
// What stays: what is cleaned up, and when a claim is released if the clean-up
// fails.
//
// To review: a claim is held until the clean-up is done. The next holder waits,
// or is refused, that much longer. Lock files stay in the directory; they are
// empty.
package earlyrelease
