// Package unflushed defines the check for buffered content that is flushed
// after the lock is released.
//
// # unflushed
//
// What is written to a bufio, gzip or csv writer stays in memory until the
// writer is flushed or closed. A lock that is released before protects none of
// it: the bytes reach the file when the next process or goroutine holds the
// lock. Deferred calls hide the order, for the last one runs first.
//
// WRONG:
//
//	w := bufio.NewWriter(f)
//	defer w.Flush() // runs after the unlock
//	if err := lock(f); err != nil {
//		return err
//	}
//	defer unlock(f)
//	return json.NewEncoder(w).Encode(s)
//
// RIGHT:
//
//	w := bufio.NewWriter(f)
//	if err := lock(f); err != nil {
//		return err
//	}
//	defer unlock(f)
//	defer w.Flush()
//	return json.NewEncoder(w).Encode(s)
//
// A file that is opened with truncation is published through safeio.Create and
// Commit, which flushes it first. For others there is no fix.
//
// To silence one report, write //lockvet:ignore unflushed REASON on its line or
// on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - unflushed/unlock: the lock is released, and then what was written under
//     it is flushed.
//   - unflushed/defers: the unlock and the flush are deferred, and the unlock
//     runs first.
//
// # Silent
//
// The check is silent
//
//   - when the writer was flushed under the lock, or a lock is acquired again
//     before the flush;
//   - when the file is a fresh temporary one, that nobody else can see;
//   - for a mutex that does not guard the writer: it is no field beside it.
//
// # Fixes
//
// A file that is opened with truncation is replaced when all is written: see
// trunclock. Elsewhere move the unlock after the flush, or defer the flush after
// the deferred unlock, so that it runs first.
//
// What stays: what is written, and to which file.
//
// To review: a replaced file is a new one for programs that have the old one
// open.
package unflushed
