// Package racycreate defines the check for locks, pid files, claims and keys
// that two processes can both make, because asking for the file and making it
// are two steps.
//
// # racycreate
//
// A file that is made by one process only keeps the others out. When a process
// first asks whether the file is there and then makes it with a call that does
// not mind an existing one, two processes both hear that it is not there, both
// make it, and both go on as its owner. Nothing that they do afterwards finds
// out.
//
// WRONG:
//
//	if _, err := os.Stat(lock); err == nil {
//		return errors.New("another process is running")
//	}
//	f, err := os.Create(lock)
//	if err != nil {
//		return err
//	}
//
// RIGHT:
//
//	lock, err := safeio.TryLock(name)
//	if errors.Is(err, safeio.ErrLocked) {
//		return errors.New("another process is running")
//	}
//
// An exclusive create (os.O_CREATE|os.O_EXCL) is right, too, as long as nobody
// takes the file away from a process that died. Every way to do that by the age
// of the file or by a process number is another race: of two processes that find
// the same stale file, the slower one removes the fresh file of the faster one.
// A lock of the operating system never goes stale.
//
// Variants, each a diagnostic category of its own:
//
//   - racycreate/check: the file is looked for, and then made by a call that
//     takes an existing one as well. The function itself says that one that is
//     there already has an owner: it returns an error, false, ends the program or
//     waits; or it leaves the work to the other one, if it removes its own file
//     when it is done; or it looks for a name that is free.
//   - racycreate/claim: a function that is named as the taking of a lock, with
//     one that gives it up by removing the file, makes the file by a call that
//     takes an existing one as well, after it asked something else.
//   - racycreate/placeholder: an empty file of a name that the caller chose is
//     made by a call that takes an existing one as well, and removed again where
//     the function fails.
//   - racycreate/reclaim: a lock that is taken for stale by its age or content
//     is removed and made again.
//   - racycreate/aside: a lock that is taken for stale is renamed and made
//     again, and nothing looks at what was renamed.
//   - racycreate/restore: a lock that was renamed, and is not stale, is renamed back,
//     which replaces the one that another has made in between.
//
// The check wants evidence that only one may make the file: a name (lock, pid,
// claim, cid), a function that acquires, the process's own number as content, or
// an error that says that the file exists, for files of which each caller names
// its own; or the file is made exclusively and taken away when it is old or when its
// holder has ended. It is silent under a lock between processes that every caller holds,
// for files that are locked themselves once they are open, for a file that is
// made only if it is there, for configuration and other files that a program
// makes once where they are missing, for files in fresh temporary directories and
// those with a unique name, for lock files that pin dependencies, where what was
// renamed is looked at, and for packages that serve tests, measurements or
// demonstrations, by the elements of the import path that tornwrite lists, unless the
// program decodes the file.
//
// The fix takes a lock with safeio.TryLock in the place of the file, where the
// function that makes it, or one that it returns, removes it again, and nobody else
// in the package goes by it: what looks at the file, writes into it and takes a
// stale one away is dropped, and the removal becomes the unlock. How the function
// waits, gives up and reports stays. All who take the lock must be built anew: the
// lock is on another file, a hidden one beside the old name, so that what an earlier
// build has left there means nothing, and such a build does not see the lock. Nor
// does a test that makes the file by hand. A file system without locks, such as
// most of NFS, is refused with an error.
//
// Where that cannot be, the fix opens the file with os.O_EXCL and maps its error to
// what the function returns where the file is there, if that is all that the
// function does then. Otherwise the report stands alone: where another command
// shows or kills the process that the file names, where taking and giving up stand
// in two functions with nothing between them that could hold the lock, where a flag
// says that one that is there is taken over.
//
// What stays: how the program waits, gives up and says so.
//
// To review: all programs that take the lock must be built anew, for the old
// way and the new do not see each other; a lock file that an older build has
// left behind means nothing and can be removed. Scripts that look for the file
// have to look for the lock.
package racycreate
