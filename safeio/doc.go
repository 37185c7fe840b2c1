// Package safeio replaces files so that a reader, a crash or a second writer
// never meets a torn or empty one. It knows how a file is put in place; it
// knows nothing of what the file holds.
//
//	err := safeio.WriteFile(path, data, 0o600) // os.WriteFile
//	err := safeio.Update(path, 0o600, change)  // read, change, write: one at a time
//	err := safeio.Append(path, record, 0o600)  // a line of a log
//	err := safeio.Backup(path)                 // a copy of what cannot be read
//	held, err := safeio.Lock(path)             // a lock between processes
//	f, err := safeio.Create(path)              // os.Create; f.Commit puts it in place
//	err := safeio.Replace(path, config.SaveTo)  // a library's function that writes a file
//
// After how many of 100 power cuts the file held neither what had been acknowledged
// last nor what came after that:
//
//	                               ext4 data=ordered  data=writeback  xfs
//	safeio.WriteFile                               0               0    0
//	os.WriteFile, Sync                            14               9    5
//	renameio v2.0.2                               40              42   33
//	natefinch/atomic v1.0.1                       44              46   39
//	moby atomicwriter v0.1.0                      42              43   33
//	lockedfile.Write                              92              83   72
//	os.WriteFile                                  93              84   76
//
// (go run -C safeio/bench . -powercuts 100, as root, in the repository. There are other
// file systems, and updates and appends, in docs/safeio.md.)
//
// It imports only the standard library, needs Go 1.23, and is a module of its own;
// but for [Records] its files can be copied into any module of Go 1.21. What lockvet
// copies into modules that cannot require this one is a compact form, for Go 1.17.
//
// A file that is written piece by piece:
//
//	f, err := safeio.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close() // discards, unless Commit came first
//	if err := json.NewEncoder(f).Encode(v); err != nil {
//		return err
//	}
//	return f.Commit()
//
// # What is guaranteed
//
// Whole. The name leads to the old content or to the new, never to a part or
// a mixture, whatever happens meanwhile: a reader, another writer, SIGKILL
// between any two system calls, a full disk, an I/O error, a power cut. The
// content goes to a temporary file in the directory of the target, which is
// then renamed over it.
//
// Durable. nil means that the content survives a power cut: the temporary is
// synced before the rename and the directory after it. A temporary whose sync
// failed is dropped, and no later sync is believed, because the kernel may have
// thrown away the pages it could not write. An error that matches
// [ErrPublished] came after the rename: the new content is in place, and only
// its durability is in doubt. Any other error means that the old content is
// still there (but see "In place").
//
// [WriteFileNoSync] and [Options].NoSync promise the first and not the second, for
// caches and status files.
//
// Like os.WriteFile. A new file gets perm less the umask; an existing one
// keeps its mode. Symbolic links are followed, also to a target that does not
// exist yet, and stay links. A file that the caller may not write is not
// replaced, although the directory would allow it. Errors are *fs.PathError
// or *os.LinkError, carry the name that the caller gave, and match with
// errors.Is.
//
// In a directory of another user. The owner of a directory can exchange the files in it,
// and directories below it, at any time. On Linux no other file is given an owner, mode,
// ACL or content for that: a new file gets its access through its descriptor, from the
// descriptor of the file that it replaces; it is made, renamed and removed in a directory
// that is open; links that have come in the place of a file are not followed. Elsewhere
// package syscall names files in a directory by their paths only.
//
// Special files (pipes, devices, sockets, /dev/stdout, anything reached
// through /proc/self/fd or /dev/fd, on Linux also the kernel's own under /proc, /sys
// and the like) and directories are opened and written exactly as package os would;
// none of the above holds for them. [Update] refuses them.
//
// # In place
//
// Some files can be written but not replaced: a file that is itself a mount
// point (EBUSY; usual for single files mounted into a container), one in a
// directory that is read-only or not the caller's, one whose mode the
// replacement cannot be given. A save that os.WriteFile would have done must
// not fail, so these are rewritten in place: growth is written first, so that
// a full disk is met before the old content is touched; then the new content
// over the old; only then is the file cut to its new length, and synced.
// Writers in place exclude each other with a lock on the file, for which
// they wait up to two seconds and then do without, since its holder may be
// the caller. One whose process holds that lock (see "Locks") does not wait. A reader,
// a crash or an I/O error in the middle can meet a mixture. [Options].Strict refuses instead, with [ErrNotAtomic].
//
// # Temporary files
//
// They are named ".safeio-<random>.tmp", created with O_EXCL and O_CLOEXEC,
// and removed on every error. Only a writer that dies, or a File that is neither
// committed nor closed, leaves one behind. While
// it lives, the writer holds a lock on it (flock, LockFileEx), so a temporary
// that can be locked belongs to nobody: [Sweep] removes those. [Replace] has another directory
// before that, in [os.TempDir].
//
// # Locks
//
//	held, err := safeio.Lock(path)
//	if err != nil {
//		return err
//	}
//	defer held.Unlock()
//	// load, change, save
//
// A lock guards the file that the name leads to, symbolic links followed at the
// time of the call. It is held on a hidden file beside that, ".safeio-NAME.lock", or
// on the one that [Options].LockFile names. That file is created when needed, stays
// empty, and is never removed by locking: without a holder it means nothing.
// [Remove] removes it with its target, [Sweep] removes those whose target is
// gone, and the holder of the lock may remove it, too: those that wait notice, and
// wait for its successor. A program that itself locks that file (flock; on Windows
// LockFileEx of its first byte) excludes the others and is excluded by them. Locks
// are advisory: a program that does not lock is not excluded, and WriteFile does not
// lock.
//
// Where the directory may not be written and has no such lock file (a file mounted into
// a container, or in /etc), the file itself is locked, by those who may write it. So
// Update and State work wherever WriteFile does, and rewrite the file in place. Others
// may have the right to make a lock file. They wait until nobody holds the lock of the
// file itself, and from then on all use the lock file. They wait for up to ten seconds, and
// then do without, since the holder may be a program that locks its file for reasons of its
// own; on Windows they do not wait. To lock a file it is enough to be able to read it, so
// a lock file is better: whoever may make it does so once, by any of these calls.
// [Options].Strict refuses.
//
// Goroutines of one process acquire the lock in the order in which they came, whatever
// name they use, as long as it leads to the same lock file. The first in line acquires
// the lock of the system. Several may hold a lock for reading, but once one waits for
// the exclusive lock, those that come later wait behind it.
//
// Between processes each acquires the lock for one call at a time. On Linux there is an
// order of processes, too: one that releases the lock does not acquire it again before
// the next in line; the others keep their order, except that one may come in between
// while another is being woken. That needs a lock file that may be written; processes
// that may only read it have no order among themselves.
// A process that is stopped (SIGSTOP, Ctrl-Z) while it is next in line makes
// the others wait until it is continued or killed, as one that is stopped
// while it holds the lock does. Elsewhere the order is the system's. Programs
// that lock the file themselves, and TryLock, keep to no order.
//
// The lock of a process that ends, in whatever way, is released at once. No
// process inherits one: child processes do not have the descriptor, and
// Unlock also releases it for a child that is just being forked.
//
// Each lock that is held has a descriptor open, and each call of Lock holds a
// lock of its own. Of the calls that wait, only the first in line has a descriptor
// open.
//
// Only users who may write the target, where that exists, can lock its lock file:
// to lock a file it is enough to be able to read it, so a user who may only read
// the target could otherwise make its owner wait. The lock file has the target's
// owner, group and (on Linux) ACL; without a target it is for those whom the umask
// lets write a new file. RLock of a file that one may only read is therefore refused,
// unless its owner has let others read the lock file (chmod); reading itself needs
// no lock. Where owner and group cannot be set, because the first to lock is
// neither root nor the owner, every user can lock the lock file.
// A lock file has its name only when it is for all of these.
// On most systems, the target's name must not be longer than 242 bytes, or
// LockFile has to name another.
//
// Where locks cannot be relied on, every call fails with an error that
// matches [errors.ErrUnsupported]: on NFS, where this is recognised on Linux,
// on file systems that refuse to lock, on Solaris, AIX, Plan 9, js and
// wasip1.
//
// # What is not guaranteed
//
//   - Two writers do not lose each other's change: the last rename wins, and
//     each rename is whole. Load, change and save needs a [Lock] around all
//     three, as [Update], [UpdateJSON] and [State] have it.
//   - Owner. Kept where the system permits, which is for root, and for the
//     group also for its members. Otherwise the new file is the writer's own,
//     as with any rename. A group that cannot be kept loses whatever the
//     others do not have, and they lose what it did not have, so that no one
//     gains access but the writer. Setuid and setgid bits are kept only for root,
//     and only with the owner.
//   - Hard links. The other names keep the old content. Writing through
//     them would mean writing in place.
//   - Extended attributes, file flags and alternate streams are not kept. On
//     Linux a POSIX access ACL is, or the file is rewritten in place; elsewhere,
//     and on NFS, ACLs are not, also those that deny.
//   - A directory in which names can be made but not removed (chattr +a) keeps the
//     temporary file of each write, and the target is rewritten in place.
//   - On ext4 with data=writeback, several writers that replace or remove one file at the
//     same moment, and take no lock, can each keep from being freed what another has
//     replaced meanwhile: a power cut then may leave a torn file. [Update] and a
//     WriteFile under a [Lock] have no such moment.
//   - [Update] has the content in memory up to three times: as it was, as it is given to
//     change, which may write over that and fail, and as change returns it. It is for
//     state. A file of gigabytes is better changed under a [Lock], through [Create].
//   - There is no form for an [os.Root]: it has neither a rename that replaces
//     (before Go 1.25) nor ACLs nor a path for the lock file, so that most of
//     these promises could not be kept in it. State and UpdateJSON take Options in
//     functions of their own, since methods have no type parameters.
//   - An open descriptor, a lock or a watch on the old file stays with the
//     old file. Lock another file than the one that is replaced.
//   - A power cut may leave zero bytes in a record that [Append] has not
//     acknowledged, or between a torn record and it, where blocks did not reach
//     the disk. [Records] yields that line like any other. No JSON text has a zero
//     byte in it, so [RecordsJSON] reports it.
//   - [Append] makes the name of a file durable as long as that is empty. A file
//     that another program has made and filled keeps its name through a power cut
//     only if that program, or its file system, has seen to that; so does one
//     that a WriteFile has put there without having returned nil.
//   - Network file systems give what their server gives: on NFS another
//     client may see the name missing for a moment.
//   - A file system that cannot sync a file or a directory (EINVAL, ENOTSUP,
//     ENOSYS: some FUSE and SMB mounts; on macOS also ENOTTY, on Windows
//     ERROR_INVALID_FUNCTION) is believed, for a save that os.WriteFile
//     would have done must not fail. What is written there is as durable as that
//     file system makes it. A file is synced a second time to tell this from a
//     page that could not be written, which is an error.
//   - A directory that may be written and searched, but not read, cannot be
//     synced: each write succeeds in it with ErrPublished, as does Backup.
//   - A relative name is resolved by each call: do not change the
//     working directory between Create and Commit.
//
// # Platforms
//
//   - Linux, FreeBSD, NetBSD, OpenBSD, DragonFly, illumos: all of the above.
//   - macOS: the same. Syncs are F_FULLFSYNC, or fsync where a volume does
//     not know it.
//   - Solaris, AIX: no flock, so there are no locks, temporaries carry none,
//     and writers in place do not exclude each other.
//   - Windows: MoveFileEx with write-through; there is no directory to sync,
//     so durability of the name is NTFS's. A target that others hold open is replaced
//     by a rename with POSIX semantics where the system has that and they share
//     deletion, as the readers of this package do. One held by a program that does not
//     (Go's os.Open does not) cannot be replaced:
//     the rename is tried for five seconds, then the error is returned and
//     the old content stays. While it happens a reader may be refused
//     (ERROR_SHARING_VIOLATION) and has to try again. Of the mode only the
//     read-only attribute exists. Security descriptors come from the directory.
//     A lock file that is removed while others have it open may keep its
//     name until they are done; locking is refused meanwhile.
//   - Plan 9: rename removes the target first; a reader can find no file.
//     Neither locks nor directory syncs.
//   - js, wasip1: what the host's rename and fsync do. No locks, no directory
//     syncs.
package safeio
