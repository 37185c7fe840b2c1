// Package witness executes what findings claim. It runs the tests of a module with a recorder in package os, plays
// the other process at a place where the program reads or writes a file, and says what the file holds then. It knows
// files, processes and locks as a run shows them; it knows nothing of the analysis that makes the claims.
//
// A [Session] begins with [Instrument], which makes an overlay for the go command: the sources of package os of the
// release that is in use, each function that reaches a file wrapped by one that records the call, and the recorder
// itself (folder recorder). Programs that tests build and start are recorded as well. [Session.Record] runs the tests
// once; what it returns has the losses that can be seen without anybody's help ([Trace.Seen]).
//
// Where a program has no tests, [Session.Exec] runs a shell command in their place.
//
// [Session.Prove] chooses for a [Claim] the experiments of its kind and a test that reaches the place, and runs that
// test again. The recorder, in the same process, does what the other process would do: it fills the disk, kills the
// process, reads, writes, or takes a lock, if the program's own locks let it. The table of the experiments is in
// experiments.go, what the recorder does for each in recorder/os_play.go.txt, and what counts as a loss in judge.go.
//
// The recorder costs a test that does nothing but file operations as much again. A process appends what it records to a
// file that is mapped to its memory, so that nothing is lost however it ends; where files are not mapped (outside of
// Linux), each record is written.
//
// Only files below the temporary directory of the run, which is created for it and removed, and below the module are
// ever touched; the latter are put back. A command has a copy of its directory, and an empty home. A test that fails,
// hangs or panics by itself is left out.
//
// Locks are seen on Linux only; elsewhere, what depends on none of them is recorded and played. Memory, files that are
// mapped, and what other languages do are not seen at all, nor are system calls other than those that lock, sync and
// rename.
package witness
