// Package latelock defines the check for memory that is changed before its lock
// is acquired, after it is released, under a read lock, or without it.
//
// # latelock
//
// What a lock guards must change while the lock is held. Otherwise the
// holder of the lock sees a change half done, or overwrites it. Where the wait
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
// The fix moves the change after the lock, or the unlock after the change. It
// turns a read lock into a write lock.
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
//   - latelock/recheck: a function finds under the lock that something is not
//     there, releases the lock, and enters it under the lock later. Two callers
//     both find nothing, and the second replaces what the first has entered.
//     That is a new object, a flag that work has begun, or a key that is refused
//     where it exists.
//   - latelock/double: a function checks without the lock whether something has
//     been made, and once more under the lock before it makes it. Afterwards it
//     uses what it has read without the lock, which may be half made. A warning.
//   - latelock/look: a branch depends on what the lock guards, read without the
//     lock; or a value read so is stored under the lock. Another goroutine can
//     change it in between.
//   - latelock/unlocked: a method changes a field that, by its comment, the
//     lock guards, and neither it nor a caller holds the lock.
//   - latelock/unguarded: a function reads or changes elements of a map or slice
//     without the lock under which others change them. Go ends the program when
//     one goroutine uses a map while another changes it. Or goroutines that a
//     loop starts change a variable under a lock of the function, and use it
//     elsewhere without the lock.
//   - latelock/escaped: an element of a slice is found under the lock and
//     changed without it. When the slice has grown meanwhile, the change goes
//     to the old array.
//
// # Silent
//
// A lock guards a field when a comment says so ("protects the fields below",
// "guards jobs"). It also does when three things hold:
//
//   - at least two functions use the field under the lock;
//   - most functions that use the field do so under the lock;
//   - every other change of the field is itself too early or too late in a
//     function that acquires the lock.
//
// Package variables are guarded in the same way. Locks are values with Lock and
// Unlock, weighted semaphores, and channels with room for one. Helpers that
// lock, unlock or return an unlock function are followed.
//
// The check is silent
//
//   - for objects that the function has just made, and functions that set one
//     up;
//   - in functions whose name or comment promises that the caller holds the
//     lock;
//   - where another lock is held;
//   - for what a sync.Once runs, and for options of a constructor;
//   - for checks after which the function closes a channel or sets a flag under
//     the lock, or waits for another goroutine;
//   - for fields that some function changes without any use of the lock;
//   - for fields that a single goroutine changes.
//
// For latelock/unguarded, four of five functions that use the elements must
// hold the lock; one of them changes elements, and another one only reads. If
// the function changes elements, and the lock is the first of the group of
// fields, half of them are enough. It is silent, too,
//
//   - where all changes come from the function that leads to the use;
//   - in functions whose name says that the work begins or ends there;
//   - in function values, and methods that std calls, but for those that serve
//     HTTP requests;
//   - where some caller holds the lock, or may: the type exports its lock, or a
//     function returns with the lock held;
//   - where the object of the lock is reached through another object;
//   - below a comment that speaks of locks or goroutines.
//
// A report is an error where the field is saved to a file, or the function that
// changes it changes the file that the object names. For a package variable, only
// functions that hold the lock count.
//
// For memory alone, and for checks, a report is a warning. More evidence is
// needed where no method of the object has to do with a file. For a change, two
// other functions must use the field under the lock, and one of them change it.
// Or the change itself is under a read lock. For a check, four of five functions
// must hold the lock, one of which changes the field. A map without its lock is
// an error where it is changed or ranged over, with a file or without.
//
// For latelock/look, one change by another goroutine is enough
//
//   - in a loop that waits for a channel which the change closes;
//   - where another lock is held at the look;
//   - where a call that takes the lock gets what was read;
//   - where no other function takes the lock.
//
// # Fixes
//
// Nothing between the change and the lock may depend on the change. A write
// lock replaces a read lock if nothing under it, and no caller, acquires the
// lock again.
//
// A check that is too early has no fix: what the function does with what is
// there by then only the author can say. An escaped element has none: only the
// author knows how to find it again.
// Nor has an unguarded one: who calls the function may have the lock one day.
// Where the object stands for a file, safeio.State keeps both in step.
//
// What stays: what is changed and to what, and the order of statements that
// depend on each other.
//
// To review: a call that stops waiting for the lock now changes nothing.
// Callers may have relied on the change.
package latelock
