// Package earlyrelease defines the check for a claim that is given up before
// the clean-up which it protects has run, so that the clean-up takes away what
// belongs to the next holder.
//
// # earlyrelease
//
// A claim is a lock, or the entry of a registry that keeps others from a file.
// Who gives it up and cleans up afterwards works on what may already be another's:
// he removes the lock file that the next holder has just made, and a third takes
// the same lock. With flock it need not even be late. The lock is on the file and
// not on its name: once the name is gone, who holds or awaits the lock has a file
// that nobody else can find, and the next one makes a new file and locks that.
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
// Variants, each a diagnostic category of its own:
//
//   - earlyrelease/unlink: a lock file that is locked with flock is removed, by
//     its holder, after the lock was let go, or by anybody else. A file is one by its
//     name, or because who takes the lock makes it and who lets go of it removes it.
//   - earlyrelease/registry: the entry of a registry is given up before the file
//     is removed that it keeps others from, or before a lock of the whole process
//     on it is let go of: in order, in a goroutine, or by a helper. A registry is
//     a map, a list, a flag, a pointer or name that is set or not, or the one
//     token of a channel.
//   - earlyrelease/unlock: a lock between processes is let go, and then the file
//     is written that the package writes under it, or that was read under it.
//   - earlyrelease/defers: a deferred write of what a lock protects runs after
//     the deferred unlock, since the last defer runs first; or a deferred call
//     changes in memory what the lock guards, and saves it wherever that may be.
//   - earlyrelease/twice: a claim is given up that may be another's by then: a lock
//     file is removed a second time; a descriptor is closed or unlocked by its
//     number when it is closed, and the number may be that of another file; a lock
//     file which others take over when it is old is removed without a look whose
//     it is.
//
// The check is silent for a lock file that is made with O_EXCL and not locked:
// its existence is the lock, and its release removes it. It is silent for a
// removal under the lock where everybody who takes it looks afterwards whether
// the file is still the one of that name, for one where the lock could not even be
// asked for, for pid files that do not live as long as a lock on them (those that do are
// a warning), for files in a fresh
// temporary directory, and for a file that is not the one that is locked. A claim
// is none in a package that serves tests, measurements or demonstrations, by the
// elements of the import path that tornwrite lists, unless the program decodes it. An
// entry of a registry is a claim only if a function of the package looks it up,
// enters it and then creates or locks the same file; it is none if a mutex is
// held from the deletion until the clean-up is done.
//
// The fix drops the removal of a lock file, as package safeio does, which never
// removes one; moves the deletion of the entry behind the clean-up; puts the
// deferred unlock in front of the deferred write, so that it runs last; and lets go
// of the lock behind a write that is one call, unless more stands between than names
// for values and error checks, or a comment says why the lock is let go of there. Of two
// releases it takes neither away.
//
// What stays: what is cleaned up, and when a claim is given up if the clean-up
// fails.
//
// To review: a claim is held until the clean-up is done, so that the next
// holder waits for it, or is refused that much longer. Lock files stay in the
// directory; they are empty.
package earlyrelease
