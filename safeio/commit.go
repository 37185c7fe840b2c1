package safeio

import (
	"errors"
	"io/fs"
	"os"
)

// Commit puts the new content in place and makes it durable (but for
// [Options].NoSync), then closes the File. If it fails, the content is discarded,
// unless the error matches [ErrPublished].
//
// The first Commit ends the File; further ones do nothing and return its
// result. After Close, Commit returns an error that matches [fs.ErrClosed].
func (f *File) Commit() error {
	if f.done {
		return f.result
	}
	f.done = true
	f.result = f.commit()
	return f.result
}

// ErrDiscarded is what [File.Close] says if Commit has not been called: nothing was
// saved. It is for a function that has got a File for an io.WriteCloser and ends
// with "return w.Close()".
var ErrDiscarded = errors.New("closed without Commit, so that nothing was saved")

// Close discards the new content if Commit has not been called, leaving the
// target as it was, and returns an error that matches [ErrDiscarded], as well as the
// error of what failed before, and that of removing the temporary file. After
// Commit, whatever that returned, and after Close, it does nothing and returns nil:
// "defer f.Close()" right after Create is right.
//
// What went to a special file is written and cannot be discarded: then the error is
// that of closing it.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	f.done = true
	f.result = f.target.wrap("commit", fs.ErrClosed)
	err := f.discard()
	if f.way == directly {
		return err
	}
	return f.target.wrap("close", errors.Join(ErrDiscarded, cause(f.err), cause(err)))
}

func (f *File) commit() error {
	switch {
	case f.err != nil:
		f.discard()
		return f.err
	case f.way == directly:
		return f.named(f.out.Close())
	case f.way == byRewrite:
		defer f.discard()
		return f.rewrite(nil)
	}
	return f.replace()
}

// replace syncs the temporary, renames it over the target and syncs the
// directory; without the syncs where NoSync says so. The old file is kept until its name
// is durably the new one's.
func (f *File) replace() error {
	err := f.step("chmod", f.reveal)
	if err == nil && !f.opts.NoSync {
		err = f.step("sync", func() error { return syncFile(f.out) })
	}
	if err == nil && f.target.info != nil {
		var old oldFile
		if old, err = f.dir.keep(f.target.base()); err != nil {
			err = f.target.wrap("open", err)
		}
		defer old.drop()
	}
	if err != nil {
		f.discard()
		return err
	}
	err = f.step("rename", func() error { return f.dir.rename(f.temp(), f.target.base()) })
	if err != nil {
		return f.unreplaced(err)
	}
	defer f.dir.close()
	// Closed at once, for the lock on it would now be one on the target.
	err = f.step("close", f.out.Close)
	if !f.opts.NoSync {
		err = errors.Join(cause(err), cause(f.step("syncdir", f.dir.sync)))
	}
	if err != nil {
		return f.target.published(err)
	}
	return nil
}

// temp is the name of the temporary in its directory.
func (f *File) temp() string { return f.out.Name()[len(f.dir.path):] }

// unreplaced ends a replace whose rename failed with err.
func (f *File) unreplaced(err error) error {
	defer f.discard()
	err = &os.LinkError{Op: "rename", Old: f.out.Name(), New: f.target.name, Err: cause(err)}
	if f.target.info != nil && renameBlocked(cause(err)) {
		return f.rewrite(err)
	}
	return err
}

// step does what name says, and names the target in its error.
func (f *File) step(name string, do func() error) error {
	err := f.opts.at(name)
	if err == nil {
		err = do()
	}
	if err != nil {
		return f.target.wrap(name, err)
	}
	return nil
}

// discard removes the temporary, then releases it: in this order no Sweep
// finds it unlocked.
func (f *File) discard() error {
	if f.way == directly {
		return f.named(f.out.Close())
	}
	f.opts.at("remove")
	err := f.dir.remove(f.temp())
	f.out.Close()
	f.dir.close()
	if err != nil {
		return f.target.wrap("remove", err)
	}
	return nil
}
