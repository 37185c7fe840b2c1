// Package tornwrite defines the check for files that are rewritten in place, or
// replaced through a temporary file that is not safe.
//
// # tornwrite
//
// A file that a program reads again must change in one step. os.WriteFile,
// os.Create and O_TRUNC empty the file first and fill it afterwards. A crash, a
// full disk or a reader in between sees an empty file or half of one, and the
// next save makes the loss final.
//
// WRONG:
//
//	data, err := json.Marshal(s)
//	if err != nil {
//		return err
//	}
//	return os.WriteFile(filepath.Join(dir, "session.json"), data, 0o600)
//
// RIGHT:
//
//	data, err := json.Marshal(s)
//	if err != nil {
//		return err
//	}
//	return safeio.WriteFile(filepath.Join(dir, "session.json"), data, 0o600)
//
// A temporary file and a rename lose data, too, where the temporary name is
// shared, where nothing is synced, or where the target is removed first. Some
// packages write in place for the program: WriteConfig of viper, WriteToFile of
// clientcmd, SaveTo of ini, Write of godotenv, WriteFile of afero, Write of
// lockedfile.
//
// The fix calls safeio.WriteFile: a synced temporary file and an atomic rename.
// A program that writes in pieces gets safeio.Create, with Commit on every path
// that succeeds.
//
// To silence one report, write //lockvet:ignore tornwrite REASON on its line or
// on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - tornwrite/inplace: the file is truncated and then written, or overwritten
//     and then truncated to its new size.
//   - tornwrite/oldtail: the file is opened for writing without truncation, so
//     that a shorter content keeps the tail of the longer one before it.
//   - tornwrite/fixedtemp: the temporary file has the same name in every
//     writer, so that two of them write one file. The same holds for a fixed
//     directory in which one run collects files and another removes them.
//   - tornwrite/pidtemp: the temporary name differs by process only; goroutines
//     share it.
//   - tornwrite/stucktemp: the temporary file is created exclusively under a
//     fixed name, and nothing removes what a crash leaves of it: no later save
//     succeeds.
//   - tornwrite/crossdir: the temporary file stands in another directory; the
//     rename fails or copies when that is another file system.
//   - tornwrite/nosync: nothing syncs the temporary file before the rename;
//     after a power cut the name may stand for an empty file.
//   - tornwrite/renameopen: the file is renamed before it is closed.
//   - tornwrite/removefirst: the target is removed or renamed before the new file
//     takes its name; a crash in between leaves no file of that name.
//   - tornwrite/closeerror: the error of Close is dropped and nothing is
//     synced, so that a write that failed late is published.
//
// # Silent
//
// The check is silent when nothing says that the file holds state. It needs two
// of four kinds of evidence:
//
//   - the program reads the same path, mostly to decode it;
//   - the content comes from an encoder;
//   - a name is one of state: session, config, index, *.json;
//   - a rename publishes the file.
//
// One kind is enough where the new content is made of the old, or where writers
// share one temporary name.
//
// It is also silent for logs, pid files, kernel files, generated sources, fresh
// temporary files, files that the user named, and packages that serve tests. Of
// a file with import "C", its own header decides whether it is generated.
//
// It is silent for files in a staging directory of one run, or in a directory
// that is filled and then renamed.
//
// A file that the package mounts into containers is written in place on
// purpose: after a rename, the containers would keep the old file.
//
// A lock does not silence a truncating write, nor a rename without a sync: a
// crash does not respect the lock.
//
// The score of a report is higher where the content is encoded or made of the
// old one, where a function loads the file again, where many places call the
// function that writes it, and where names speak of settings, sessions or
// secrets. It is lower where only a name, an encoder or a rename is evidence of
// state, where the content is a copy or a cache, where the function runs once,
// such as a migration, and where the program keeps something about itself, such
// as telemetry.
//
// # Fixes
//
// Where a unique temporary file in the same directory lacks nothing but a sync,
// the fix is a sync. Where a package, or one that it imports, has a function
// like os.WriteFile that replaces files in that way, the fix calls it. That
// function then sets the mode, and decides what becomes of a symbolic link.
// Where another function already replaces the same file, the fix makes the same
// call. If that call takes other arguments, the report names the function, and
// there is no fix.
//
// A file that the program recreates by itself, such as a cache or telemetry, is
// replaced without a sync, by safeio.WriteFileNoSync. Readers still never see a
// part of it. Where a rename replaces it already, the missing sync is not
// reported.
//
// lockvet -fix fixes no warning by itself: -fix -i, -fix -all, editors, go vet
// -fix and go fix do.
//
// -fix also leaves alone a file that a package watches by its name, and one where
// a writer of the program would replace a link. It leaves alone a file that a
// function opens and never closes, too: Windows does not replace open files.
// Where that function discards the *os.File of os.Create, the fix has it write an
// empty file instead.
//
// A library function that takes the path, such as SaveTo of ini, is called
// through safeio.Replace for another file, whose content then replaces the file.
//
// What stays: the content and the name of each file, the errors of each save,
// the mode and owner of an existing file, and symbolic links.
//
// To review: a save waits for the disk, and the directory must be writable. The
// new content is in a new file: a program that has the old one open, or another
// hard link to it, keeps the old content. A watch on the file itself ends with
// the first save: watch its directory. A process that is killed during a save
// leaves a temporary file beside the target, .NAME.*.tmp. On Windows the new file
// inherits the access rights of its directory. Where code renamed a temporary
// file, the mode of the target now stays, a symbolic link is followed, and a
// read-only target is refused. Where a function returned nil although its write
// had failed, it now returns the error: the old file is left.
package tornwrite
