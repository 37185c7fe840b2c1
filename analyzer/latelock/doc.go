// Package latelock defines the check for memory that is changed before its lock
// is acquired, after it is released, under a read lock, or without it.
//
// # latelock
//
// What a lock guards must change while the lock is held. Otherwise the
// holder of the lock sees half of a change, or overwrites it. Where the wait
// for the lock can be cancelled, the change stays in memory although the save
// never runs. The program goes on with a record that the file does not have.
//
// WRONG:
//
//	s.messages = append(s.messages, m)
//	if err := s.lock(ctx); err != nil {
//		return err
//	}
//	defer s.unlock()
//	return s.save()
//
// RIGHT:
//
//	if err := s.lock(ctx); err != nil {
//		return err
//	}
//	defer s.unlock()
//	s.messages = append(s.messages, m)
//	return s.save()
//
// The fix moves the change after the lock.
//
// To silence one report, write //lockvet:ignore latelock REASON on its line or
// on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - latelock/before: the change comes before the lock is acquired.
//   - latelock/cancellable: the change comes before the lock is acquired, and
//     the wait for the lock can end without it.
//   - latelock/after: the change comes after the unlock.
//   - latelock/readlock: the change is made under a read lock, which others
//     hold at the same time.
//   - latelock/recheck: a function finds under the lock that an entry is missing,
//     releases the lock, and makes the entry under the lock later. Two callers
//     both find nothing, and the second replaces the entry of the first. The
//     entry is a new object in a map.
//   - latelock/unguarded: a function reads or changes elements of a map or slice
//     without the lock under which others change them. Go ends the program when
//     one goroutine uses a map while another changes it.
//
// # Silent
//
// A lock guards a field when at least two functions use the field under the
// lock, most functions that use it do so, and every other change of the field
// is itself too early or too late in a function that acquires the lock. Package
// variables are guarded in the same way. Locks are values with Lock and Unlock,
// and channels with room for one. Helpers that lock, unlock or return an unlock
// function are followed, and so are functions that are called with the lock
// held, where all callers are in the package.
//
// The check is silent
//
//   - for objects that no other code has yet: the function has just created the
//     object, sets it up, or starts its goroutines afterwards;
//   - in functions whose name or comment promises that the caller holds the
//     lock, or that release a lock which they did not acquire;
//   - where another lock is held;
//   - for what a sync.Once runs;
//   - for fields that some function changes without any use of the lock;
//   - where the code that leads to the use also leads to all uses under the lock.
//
// For latelock/unguarded, four of five functions that use the elements must
// hold the lock; one of them changes elements, and another one only reads. It is
// silent, too,
//
//   - in functions whose name says that the work begins or ends there;
//   - in function values, and methods that std calls, but for those that serve
//     HTTP requests;
//   - where some caller holds the lock, or the type exports it;
//   - where elements are only added.
//
// Where no method of the object has to do with a file, a report needs more
// evidence: two other functions use the field under the lock, and one of them
// changes it. A change that is itself under a read lock needs no more.
//
// # Fixes
//
// Nothing between the change and the lock may depend on the change. There is no
// fix for a change that is too late or under a read lock, or for a check that is
// too early. An unguarded use has none, since a caller may hold the lock one day.
// Where the object stands for a file, safeio.State keeps both in step.
//
// What stays: what is changed and to what, and the order of statements that
// depend on each other.
//
// To review: a call that stops waiting for the lock now changes nothing.
// Callers may have relied on the change.
package latelock
