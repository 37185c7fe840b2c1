// Package lostupdate defines the check for files that are read, changed and
// written again while another process can do the same.
//
// # lostupdate
//
// A program that loads a file, changes what it loaded and saves it forgets all
// that others have saved in between: both load the same content, each adds its
// own change, and the second save puts back the file without the first one's.
// Nothing fails, and both report success. Saving atomically does not help: each
// file is whole, and one change is gone. A mutex helps the goroutines of one
// process only, and a lock that each half takes for itself helps nobody.
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
// or safeio.Update and safeio.UpdateJSON, which do all of it.
//
// Variants, each a diagnostic category of its own:
//
//   - lostupdate/unlocked: no lock is held from the load to the save.
//   - lostupdate/late: the lock is taken after the load.
//   - lostupdate/split: the load has a lock and the save has one, and it is let
//     go of in between. So it is where a store that locks each call for itself is
//     given what was got from it before.
//   - lostupdate/stale: an object that keeps its file in a field is changed and saved
//     as it was loaded before the function was called: under the object's lock, which
//     comes too late, or with no lock although other methods load it again, or
//     although every process of the user loads the same file when it makes the object;
//     or a package variable that another function has loaded from such a file.
//   - lostupdate/mutex: only a mutex is held, and the file stands where every
//     process that the user starts finds the same one.
//
// The bytes that are written must derive from those that were read, and both paths
// must be the same; or the object that is saved must be the one that a loader, also
// of another package, has returned.
//
// The check is silent
//
//   - where a lock between processes spans both, in the function or in any of its
//     callers, and where the program itself makes sure that it runs once;
//   - for files whose name the user gives, names that nobody else has, a file that was
//     made exclusively before, and one in a directory that everybody who comes there
//     has just made;
//   - where nothing of the old content is saved, because each field is assigned anew,
//     because the file is saved only where it could not be loaded, or because nothing
//     but a text is asked of the old file;
//   - where all of it is saved and nothing else, since it is only put back, or moved to
//     another form that is used from there on;
//   - for files that only say that somebody is there: locks, heartbeats, those with the
//     number of a process, those of which only what is about living processes is kept,
//     and those that one function alone saves to say when it was done last;
//   - in repairs, migrations and the set-up, by the names of their functions, also where
//     only such a function, or one of another package of such a name, says that there
//     is something to save;
//   - for packages that serve tests and import package testing, by the elements of the
//     import path that tornwrite lists;
//   - for the files of another program, which takes no lock of this one;
//   - for objects with a mutex, which are those of a server, unless a lock between
//     processes is taken, too; and where a server loads a file once, attends to events,
//     and saves it at its end, unless something else saves it.
//
// What stays: what is loaded, how it is changed and what is saved, and their
// errors.
//
// Where the function itself reads and writes the file, and takes one that is not
// there for an empty one, it becomes a call of safeio.Update, if little stands in
// between and each error is returned as it is. Where the function has a context, the
// wait for the lock ends with it.
//
// Where the function ends well without having loaded or saved, also for want of a
// directory that it does not make, and where it has no error to return, it goes on
// without the lock when that is not to be had. A lock
// that is taken too late moves up, with the defer that lets go of it. No lock is
// placed where somebody could wait for himself, for events or for the user, in a
// function that can be told to change nothing, beside a file that is found out as the
// program runs, and where others lock the same file under another name. Of a split
// nothing is mended: a function that takes the lock for its half has callers that
// rely on it, and which of them already have one around both only its author can say.
//
// To review: the function waits while another process or goroutine is between its
// load and its save, and returns an error where the lock cannot be taken, or goes
// on without it, as the edit says. An empty file with .lock added to the name
// stays beside the file; it belongs in .gitignore where the file stands in a
// repository. No caller in the package has that lock already. One in another
// package would wait for itself: lockvet -fix takes the fix back where it sees
// such a caller among the packages that it was given, which should be all that
// call the function; where the fix is applied by other means, nobody looks.
package lostupdate
