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
// An exclusive create (os.O_CREATE|os.O_EXCL) is right, too, until somebody
// removes the file of a process that died. To do that by age or by process
// number is the next race: the slower of two processes removes the fresh file
// of the faster one. A lock of the operating system never goes stale.
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
//   - racycreate/check: the file is looked for, and then made by a call that
//     accepts an existing one. The function treats an existing file as
//     another's: it returns an error or false, exits, waits, leaves the work, or
//     tries the next name. The look may be in a function that it calls, and that
//     says whether the process in a pid file is running. A warning where the
//     function returns without an error, and nothing shows that two run at a
//     time.
//   - racycreate/claim: a function named for acquiring a lock makes the file by
//     a call that accepts an existing one, and another function removes it. The
//     first one checks something else, or only opens the file.
//   - racycreate/reclaim: a lock that is taken for stale, by its age or
//     content, is removed and made again. Or it is removed in any case before
//     the function makes it.
//   - racycreate/aside: a lock that is taken for stale is renamed and made
//     again, and nothing checks what was renamed.
//   - racycreate/restore: a lock that was renamed and is not stale is renamed
//     back, which replaces the one that another process has made in between.
//
// # Silent
//
// The check needs evidence that only one process may make the file:
//
//   - a name such as lock, pid, claim or cid, or a function named for
//     acquiring;
//   - the process number as content, or an error that says that the file
//     exists;
//   - an exclusive create, with a removal when the file is old or its holder
//     has ended.
//
// It is silent
//
//   - where every caller holds a lock between processes;
//   - where the process listens at an address before it makes the file;
//   - for files that are locked themselves once they are open;
//   - for a file that is made only if it exists, and for defaults that are
//     written once;
//   - for fresh temporary files, unique names, and lock files that pin
//     dependencies;
//   - where the renamed file is checked afterwards;
//   - for packages that serve tests, unless the program decodes the file.
//
// # Fixes
//
// There is none. Open the file with os.O_EXCL, and do for os.IsExist of its error
// what the function does for an existing file. One that a process left behind
// keeps all others out, as before. Where such a file is removed or replaced, no
// exclusive create does that without a race. Hold safeio.TryLock instead, which
// ends with its process.
package racycreate
