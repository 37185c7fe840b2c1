// Package stalesnapshot defines the check for state that is copied under a lock
// and written to its file after the lock is let go of.
//
// # stalesnapshot
//
// A method that copies or encodes its state under a mutex, lets go of the mutex
// and then writes the file puts its saves in no order. Between the copy and the
// write another goroutine can change the state, copy it and write it; then the
// first one writes what it has from before. Memory has the last change and the
// file has not, although the save that carried it reported success: the next
// start of the program loads the older state. Saving atomically does not help,
// nor does a second mutex around the write alone: each file is whole, and in the
// wrong order.
//
// WRONG:
//
//	s.mu.Lock()
//	s.tokens[name] = token
//	data, err := json.Marshal(s.tokens)
//	s.mu.Unlock()
//	if err != nil {
//		return err
//	}
//	return safeio.WriteFile(s.path, data, 0o600)
//
// RIGHT:
//
//	s.mu.Lock()
//	defer s.mu.Unlock()
//	s.tokens[name] = token
//	data, err := json.Marshal(s.tokens)
//	if err != nil {
//		return err
//	}
//	return safeio.WriteFile(s.path, data, 0o600)
//
// or, where readers must not wait for the disk, a second mutex that is taken
// before the copy and held until the file is written.
//
// Variants, each a diagnostic category of its own:
//
//   - stalesnapshot/encoded: the bytes are made under the lock and written
//     without it.
//   - stalesnapshot/copied: a copy is made under the lock, encoded and written
//     without it.
//   - stalesnapshot/spawned: the copy is written by a goroutine that the function
//     starts, so that even the saves of one goroutine have no order.
//
// The lock must stand beside what is copied, some function must change that under
// the lock, and two goroutines must be able to save: the function is exported, or
// answers requests, or is started more than once. The check is silent where
// another lock spans the copy and the write, in the function or in all of its
// callers; where a number of versions is compared before the write; where only a
// loop, a timer, a constructor or a shutdown saves; for names that are new each
// time or that the caller gives; for what is no copy; and for packages that serve tests,
// measurements or demonstrations, as tornwrite is.
//
// The fix holds the lock until the function returns, if it is proven that nothing
// behind the unlock waits or takes a lock. What the file stands for can also be
// left to safeio.State, which keeps both in step.
//
// What stays: what is copied, encoded and written.
//
// To review: the mutex is held while the file is written, so that others wait
// for the disk.
package stalesnapshot
