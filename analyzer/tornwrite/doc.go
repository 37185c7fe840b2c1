// Package tornwrite defines the check for files that are rewritten in place,
// or replaced through a temporary file that is not safe.
//
// # tornwrite
//
// A file that a program reads again must change in one step. os.WriteFile,
// os.Create and O_TRUNC empty the file first and fill it afterwards: a crash, a
// full disk or a reader in between meets an empty file or half of one, and the
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
//	return safeio.WriteFile(filepath.Join(dir, "session.json"), data, 0o600)
//
// The same is lost by a temporary file and a rename when the temporary name is
// shared, when nothing is synced, or when the target is removed first, and by
// packages that write a file for the program in place: WriteConfig of viper,
// WriteToFile of clientcmd, SaveTo of ini, Write of godotenv, WriteFile of afero,
// Write of lockedfile.
//
// Variants, each a diagnostic category of its own:
//
//   - tornwrite/inplace: the file is truncated and then written, or read, written
//     over and then cut to its new size.
//   - tornwrite/oldtail: the file is opened for writing without truncation, so
//     that a shorter content keeps the tail of the longer one before it.
//   - tornwrite/fixedtemp: the temporary file has the same name in every
//     writer, so that two of them write one file; or the directory in which
//     files are collected has, so that one run removes what another collects.
//   - tornwrite/pidtemp: the temporary name differs by process only;
//     goroutines share it.
//   - tornwrite/stucktemp: the temporary file must not be there, has the same name in
//     every writer, and nothing takes away what a crash has left of it: no later save
//     succeeds.
//   - tornwrite/crossdir: the temporary file stands in another directory; the
//     rename fails or copies when that is another file system.
//   - tornwrite/nosync: nothing syncs the temporary file before the rename;
//     after a power cut the name may stand for an empty file.
//   - tornwrite/renameopen: the file is renamed before it is closed.
//   - tornwrite/removefirst: the target is removed before the rename; a crash
//     in between leaves no file at all.
//   - tornwrite/closeerror: the error of Close is dropped and nothing is
//     synced, so that a write that failed late is published.
//
// The check is silent when nothing says that the file holds state. It wants two
// kinds of evidence out of: the program reads and decodes the same path, the
// content comes from an encoder, a name from the vocabulary of state (session,
// config, index, *.json). That a file of a known name is emptied to get what
// was made of its own content is enough, unless that was copied before.
//
// It is also silent for
//
//   - files that the user chose at the command line, logs, profiles, pid files and
//     others with the number of the process in their name, kernel files, and files
//     whose name is unique;
//   - generated sources; of a file with import "C" what its own header says counts;
//   - functions that are given a test, or are said to serve tests alone;
//   - packages that serve tests, measurements or demonstrations, unless the program
//     decodes the file: an element of the import path, behind the name of the module, is
//     as a whole, without - and _, one of test tests testing testutil testutils
//     testhelper testhelpers testlib testkit testsupport testcommon testtools testsuite
//     testsuites testharness testframework testenv testbed testbench testserver e2e
//     e2etest e2etests integrationtest integrationtests loadtest loadtests testdata
//     fixture fixtures mock mocks fake fakes bench benchmark benchmarks demo demos
//     example examples hack; or the package is named footest, and stands below foo or
//     imports the foo beside it;
//   - packages that import a framework for tests (gomega, ginkgo, testify);
//   - packages with test at the end or the beginning of an element, or with one of these
//     words for one, that import package testing, whatever they decode;
//   - programs for developers, unless they decode the file: main packages in a directory
//     of a name that is as good for a part of a program, where that is not right below
//     cmd (tool tools script scripts release dev gen generate generator codegen t doc
//     docs website integration);
//   - packages that work on the kernel's files, unless they decode them: the last
//     element is proc sys cgroup cgroups sysfs sysctl debugfs or devpts;
//   - files in fresh temporary directories, or in one that the function removes
//     again;
//   - writes whose error is dropped, unless the program decodes the file, and the
//     WriteFile method of a type behind an interface of the package;
//   - files of which a backup is kept that the program puts back by itself;
//   - resolv.conf, which containers have bind-mounted, and files of which a comment at
//     the write says that they are, or that they keep their inode;
//   - files that are written only where they cannot be loaded, where there is none
//     and the program makes up what they hold, or where there was none for another
//     call to empty;
//   - a rename that nothing syncs, of a file that is removed by what ends the
//     program's work;
//   - a fixed temporary name under a lock between processes that every caller holds,
//     or that the object has since it was made; of an object with a mutex that keeps
//     the file open; and of a server that saves in rounds on one goroutine, or
//     between the events that it waits for.
//
// A report is a warning, and no error, where nothing but names, an encoder or a rename
// speak for state: where the package does not decode the file or have a loader for it,
// make its new content of the old, or take its existence for its content. So it is where
// the file is written only where none is there, and by the rules named severity.
//
// A lock does not silence a truncating write, nor a rename that nothing syncs: a
// crash does not respect it.
//
// The fix calls package safeio: safeio.WriteFile, or safeio.Create with Commit
// on every success path.
//
// What stays: the content and the name of each file, the errors of each save,
// the mode and owner of a file that is there, and symbolic links.
//
// To review: a save waits for the disk, and makes a new file beside the old
// one, so that the directory must be writable, a program that has the old file
// open goes on with the old content, and other hard links keep it. Where a rename
// has replaced the file until now, it had the mode of the temporary file, took the
// place of a symbolic link and of a file that may only be read; now the mode stays,
// the link is followed, and a file that may only be read is refused.
package tornwrite
