// Package unflushed defines the check for buffered content that leaves the
// program after the lock or the sync that was meant for it.
//
// # unflushed
//
// What is written to a bufio, gzip or csv writer stands in memory until the
// writer is flushed or closed. A lock that is let go before protects nothing of
// it: the bytes reach the file when the next process or goroutine has the lock.
// A sync before the flush makes durable what was there before. Deferred calls
// hide the order, for the last one comes first.
//
// WRONG:
//
//	w := bufio.NewWriter(f)
//	defer w.Flush() // runs when the lock is gone
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
// Variants, each a diagnostic category of its own:
//
//   - unflushed/unlock: the lock is let go, and then what was written under it
//     is flushed.
//   - unflushed/defers: the unlock and the flush are deferred, and the lock is let
//     go first; also where the whole write of the file is deferred before the
//     unlock is.
//   - unflushed/closed: the file is closed, then the buffered writer is flushed.
//   - unflushed/sync: the file is synced, then the buffered writer is flushed,
//     then the file is closed or moved to its place.
//
// The check is silent when the writer was flushed under the lock; when the lock
// is taken again for the flush; when the file is a fresh temporary one, that
// nobody else can see; when a sync follows the flush; and for a mutex that does
// not guard the writer: one that is neither a field beside it, nor was held when
// the file was opened.
//
// The fix moves the unlock behind the flush, the deferred flush behind the
// deferred unlock, or the flush before the sync. A file that is opened with
// truncation is published through safeio.Create and Commit instead.
//
// What stays: what is written, to which file, and under which lock.
//
// To review: the lock is held for a moment longer, while the buffer is written.
package unflushed
