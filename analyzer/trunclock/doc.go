// Package trunclock defines the check for files that are emptied before their
// lock is held.
//
// # trunclock
//
// A lock protects what a file holds only from those who touch it after they
// have the lock. os.Create and O_TRUNC empty the file when it is opened; the
// lock on its handle can only be taken afterwards. Who waits for the lock, or
// is told that another process has it, has then already emptied the file of the
// one that holds it.
//
// WRONG:
//
//	f, err := os.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
//		return err
//	}
//	return json.NewEncoder(f).Encode(s)
//
// RIGHT:
//
//	f, err := safeio.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if err := json.NewEncoder(f).Encode(s); err != nil {
//		return err
//	}
//	return f.Commit()
//
// Variants, each a diagnostic category of its own:
//
//   - trunclock/open: the file is emptied, then the lock on its handle is taken,
//     also by another method of the type that keeps the handle.
//   - trunclock/sidecar: the file is emptied, then a lock that is made for it, a
//     file beside it, is taken, and then it is written.
//
// The check is silent when the lock is taken first, on the handle or on a file
// beside it, by the function or by all of its callers; when the file is emptied
// under the lock; when it is a lock file that nobody writes or reads, which has
// nothing to lose, unless a package that others import empties whatever file
// its caller names; and for files in fresh temporary places and those that the
// user chose at the command line. It is silent for packages that serve tests,
// measurements or demonstrations, as tornwrite is.
//
// The fix publishes the file through safeio.Create and Commit. That drops the
// lock on the handle, which no longer keeps anybody from anything, where all
// other functions of the package that lock such a file only read it. A file
// that is locked for as long as the program has it open, as one that says who
// runs, is opened as it is and emptied under the lock. Where neither can be
// proven there is no fix.
//
// What stays: the content and the name of each file, and the errors of each
// save.
//
// To review: who relied on the lock of a handle that is gone now; nobody else
// in the package does. A file that is replaced is a new one for programs that
// have the old one open.
package trunclock
