// Package lostupdate defines the check for files that are loaded, changed and
// saved while another process can do the same.
//
// # lostupdate
//
// This is a read-modify-write without a lock. Two processes load the same
// content, and each adds its own change. The second save puts back the file
// without the first change. Nothing fails, and both report success. An atomic
// rename does not help, a mutex covers one process only, and one lock for each
// half covers neither.
//
// WRONG:
//
//	s, err := load(path)
//	if err != nil {
//		return err
//	}
//	s.Runs = append(s.Runs, run)
//	return save(path, s)
//
// RIGHT:
//
//	lock, err := safeio.Lock(path)
//	if err != nil {
//		return err
//	}
//	defer lock.Unlock()
//	s, err := load(path)
//	if err != nil {
//		return err
//	}
//	s.Runs = append(s.Runs, run)
//	return save(path, s)
//
// The fix acquires safeio.Lock before the load and holds it until the function
// returns. Where several functions change the file, let them pass their change
// to one that calls safeio.Update or safeio.UpdateJSON: both do the whole
// read-modify-write.
//
// To silence one report, write //lockvet:ignore lostupdate REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - lostupdate/unlocked: no lock is held from the load to the save.
//   - lostupdate/late: the lock is acquired after the load.
//   - lostupdate/split: the load holds a lock and the save holds one, and it is
//     released in between.
//   - lostupdate/mutex: only a mutex is held, and the file stands where every
//     process of the user finds it.
//
// # Silent
//
// The bytes that are written must derive from those that were read, and both
// paths must be the same. Or the saved object is the one that a loader, also of
// another package, has returned. The check is silent
//
//   - where a lock between processes spans both halves, in the function or in
//     all callers;
//   - for files that the user named, names that nobody else has, and files or
//     directories that were just made exclusively;
//   - where nothing of the old content is saved, or all of it in another form;
//   - for files that only say that a process lives: locks, pid files and
//     heartbeats;
//   - for files of another program, which does not use the lock;
//   - for packages that serve tests.
//
// # Fixes
//
// If the lock cannot be acquired, the function returns an error. With a
// context, the wait for the lock ends with the context.
//
// Most reports are warnings or notes: maintainers rarely want a lock around a
// load and a save where nothing shows two writers at a time. -fix and -diff
// leave it out then, and -fix -i and editors offer it.
//
// There is no fix
//
//   - where the function returns no error, or continues after a failed save;
//   - where the program has locks between processes of its own;
//   - where a caller could deadlock, or the function waits for events, for the
//     user, or takes a mutex under the lock;
//   - where the function has no plain name for the path, or may return without a
//     change whatever the file holds: it would wait for the lock;
//   - where it says that there is no file, and there may be no directory for the
//     lock;
//   - where more than two places save the file, or one of them does not load it;
//   - where only callers know which file it is;
//   - where the lock is acquired too late, or released in between.
//
// What stays: what is loaded, how it is changed and what is saved, and their
// errors.
//
// To review: the function waits while another process or goroutine is between
// its load and its save. If the lock cannot be acquired, nothing is saved. An
// empty hidden file, .safeio-NAME.lock, stays beside the file. If the directory
// is in git, add .safeio-* to .gitignore. A caller in another package that
// holds the lock already would deadlock. lockvet -fix takes the fix back if it
// sees one, so name all packages that call the function. go vet, golangci-lint
// and nogo do not look for such callers.
package lostupdate
