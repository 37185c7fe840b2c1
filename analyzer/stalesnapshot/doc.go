// Package stalesnapshot defines the check for state that is copied under a lock
// and written to its file after the lock is released.
//
// # stalesnapshot
//
// Between the copy and the write another goroutine can change the state, copy
// it and write it. Then the first goroutine writes its older copy. Memory has
// the last change and the file does not, although that save reported success.
// The next start of the program loads the older state. An atomic rename does
// not help, nor does a second mutex around the write alone: each file is whole,
// and in the wrong order.
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
// There is no fix: only the author can say who may wait for the disk.
//
// To silence one report, write //lockvet:ignore stalesnapshot REASON on its
// line or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - stalesnapshot/copied: a copy of the state, or its encoded bytes, is written
//     to the file after the lock is released.
//
// # Silent
//
// The lock must be declared beside what is copied, and some function must
// change that under the lock. The check is silent
//
//   - where another lock spans the copy and the write, in the function or in
//     all callers;
//   - where the number of a change is compared with another before the write;
//   - where only a loop, a constructor or a shutdown saves, by its name;
//   - for names that are new each time or that the caller passes;
//   - where what is written is no copy;
//   - for packages that serve tests.
//
// # Fixes
//
// There is none. Hold the mutex until the file is written, where others may
// wait for the disk. Otherwise hold a second one from the copy to the write.
// safeio.State can hold the state instead: it keeps memory and file in step.
package stalesnapshot
