// Package racycreate defines the check for locks, pid files, claims and keys
// that two processes can both make, because check and create are two steps.
//
// # racycreate
//
// A lock file keeps others out only if one process can make it. Here a process
// first checks whether the file exists, and then makes it with a call that
// accepts an existing one. Two processes both see no file, both make it, and
// both go on as its owner. Nothing later shows the mistake.
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
// An exclusive create (os.O_CREATE|os.O_EXCL) is right, too, until a process
// removes the file of one that died. Doing that by age or by process number is
// the next race: the slower of two processes removes the fresh file of the
// faster one. A lock of the operating system never goes stale.
//
// There is no fix: all programs that use the file have to change together.
//
// To silence one report, write //lockvet:ignore racycreate REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - racycreate/check: the function checks for the file, and then creates it
//     with a call that accepts an existing one. It treats an existing file as
//     that of another process: it returns an error or false, exits, waits or
//     skips the work.
//   - racycreate/reclaim: a lock that seems stale, by its age or content, is
//     removed and created again. Or the function removes it in any case before
//     it creates it.
//
// # Silent
//
// The check needs evidence that only one process may make the file: a name such
// as lock, pid, claim or cid, a function named for acquiring, or the process
// number as content. It is silent
//
//   - where every caller holds a lock between processes, or has made another
//     file exclusively;
//   - for files that are locked themselves once they are open;
//   - for a file that is made only if it exists;
//   - where the function returns without an error if the file exists, and never
//     removes it: the file records that something was done;
//   - for fresh temporary files, unique names, and lock files that pin
//     dependencies;
//   - where the function first checks that no process is at work, which may itself
//     keep a second one out;
//   - for a pid file that is made again for other programs to find;
//   - for packages that serve tests, unless the program decodes the file.
//
// # Fixes
//
// There is none. Open the file with os.O_EXCL, and where os.IsExist holds for the
// error, do what the function does for an existing file. A file that a process
// left behind keeps all others out, as before. To remove or replace such a file
// is a race even with an exclusive create. Use safeio.TryLock there: its lock
// ends with its process.
package racycreate
