// Package latelock defines the check for memory that is changed before its lock
// is taken, after it is let go of, or under the wrong half of it.
//
// # latelock
//
// What a lock guards must change under the lock. A change in front of it, or
// behind it, is seen half done by who holds the lock, and is overwritten by
// them. Where the wait for the lock can be given up, the change stays in memory
// although the rest of the function, which would have saved it, never runs: the
// program goes on with a record that the file does not have.
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
// Variants, each a diagnostic category of its own:
//
//   - latelock/before: the change stands before the lock is taken.
//   - latelock/cancellable: the change stands before the lock is taken, and the
//     wait for the lock can end without it.
//   - latelock/after: the change stands behind the unlock.
//   - latelock/readlock: the change is made under a read lock, which others hold
//     at the same time.
//   - latelock/recheck: something is entered because a look found nothing, but the
//     lock was not held since the look: the second of two callers replaces what the
//     first has got. What is entered is a new object, or is refused with an error
//     where there is one, or is a flag that says that something has begun.
//   - latelock/look: a branch goes by what the lock guards, before the lock is taken
//     or behind it; or what comes of such a look is put in its place under the lock.
//   - latelock/unlocked: a method changes what a comment puts under the lock, and
//     neither it nor who calls it has the lock.
//   - latelock/escaped: an element of a slice is found under the lock and changed
//     behind it: when the slice has grown meanwhile, the change goes to the array
//     that it had before.
//
// A lock guards a field when at least two functions use the field under it, most
// of all that use it do, and whoever else changes the field is itself too early or
// too late in a function that takes the lock; or when a comment on the field, or on
// the lock ("protects the fields below", "guards jobs"), says so. In the same way a package variable that is a lock guards other variables of
// the package. Locks are values with Lock and Unlock methods, weighted semaphores
// and channels with room for one; helpers that lock, unlock or return a function
// that unlocks are followed.
//
// The check is silent
//
//   - for objects that the function has just made, in functions that set an object up
//     (by their name, or because they start its goroutines afterwards or make its
//     lock), and in those whose name or comment promises that the lock is held;
//   - where another lock is held;
//   - for what a sync.Once runs, and for options, which who makes the object calls;
//   - for looks where the function has closed a channel or set a flag under the lock,
//     or has waited for another goroutine since;
//   - for fields that some function changes with no thought of the lock, or that several
//     change and none of them under it;
//   - for those of one goroutine: it changes them in each round of a loop before it takes
//     the lock, and calls all others that change them.
//
// An error is what it says of objects that have to do with files: one of their methods,
// or of the functions that use the field, reads, writes or removes one; of a package
// variable, one that uses it and has the lock then. Of objects in memory alone, and of
// looks, it warns, and only if more speaks for the lock: of a change, that two other
// functions use the field under the lock, and one of them changes it there, or that the
// change itself is made under the lock of readers; of a look, that four of five others
// have the lock, and that one of them, which is no part of what looks, changes the field.
//
// The fix moves the change to behind the lock, or the unlock to behind the
// change, if nothing in between depends on it. It takes the lock for writing, if
// nothing that runs under it, and nobody who calls the function, takes it once
// more. It looks again under the lock, where the function goes on with what it
// finds, or returns it. An element that escaped would have to be found again by
// what tells it from others, which only the author knows. Where the object stands
// for a file, safeio.State keeps both in step.
//
// What stays: what is changed and to what, and the order of the statements that
// depend on each other.
//
// To review: a call that gives up waiting for the lock now changes nothing, and
// callers that counted on the change all the same.
package latelock
