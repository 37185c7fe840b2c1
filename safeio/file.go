package safeio

import (
	"io"
	"io/fs"
	"os"
)

// A File is content on its way to a name. Nothing of it can be seen under the
// name before [File.Commit]; [File.Close] without Commit discards it.
//
// After a Write, WriteString, ReadFrom, Seek or Sync that failed the content
// is not what was meant, so Commit discards it and returns that first error:
// errors that an encoder swallowed are not lost.
//
// A File is for one goroutine at a time.
type File struct {
	opts   Options
	target target
	way    way
	out    output    // receives the content
	dir    directory // of out, unless that is the target

	mode   *fs.FileMode // asked for by Chmod
	owner  *[2]int      // asked for by Chown
	hidden *fs.FileMode // what the target has, until then kept from the temporary
	err    error        // first failure
	done   bool         // Commit or Close has run
	result error        // what Commit returns from then on
}

// A way is how the content of a File reaches its name.
type way int

const (
	byRename  way = iota // out is in the target's directory
	byRewrite            // out is elsewhere, to be copied over the target
	directly             // out is the target, which is a special file
)

// Create starts a new content for the named file, as [os.Create] would, with
// mode 0666 less the umask if the file does not exist. Until Commit the file
// is left as it is: not truncated, not created.
//
// The content is collected in a temporary file beside the target. Where that
// is impossible but the target itself can be written, it is collected in
// [os.TempDir] and the target rewritten in place on Commit. A special file is
// opened at once and written directly.
func Create(name string) (*File, error) {
	return Options{}.Create(name, 0o666)
}

// CreatePerm is [Create] with mode perm less the umask for a file that does
// not exist: os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm).
func CreatePerm(name string, perm fs.FileMode) (*File, error) {
	return Options{}.Create(name, perm)
}

// Create is [CreatePerm] with options.
func (o Options) Create(name string, perm fs.FileMode) (*File, error) {
	t, err := locate(name)
	if err != nil {
		return nil, err
	}
	f := &File{opts: o, target: t}
	err = f.stage(perm, openForFile)
	if t.special || t.isKernel(err) {
		if o.Strict {
			return nil, t.refuse(err)
		}
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
		if err != nil {
			return nil, err
		}
		return &File{opts: o, target: t, way: directly, out: out}, nil
	}
	if t.mayRewrite(err) {
		return o.spool(t, err)
	}
	if err == nil && t.info != nil {
		err = f.hide()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// hide keeps the new content to its owner until Commit: a Chmod may still say
// that it is for fewer than the target was.
func (f *File) hide() error {
	info, err := f.out.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		mode := info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		f.hidden = &mode
		err = f.out.Chmod(mode.Perm() & 0o700)
	}
	if err != nil {
		f.discard()
		return f.target.wrap("chmod", err)
	}
	return nil
}

// reveal gives the new content the mode that it was kept from.
func (f *File) reveal() error {
	if f.hidden == nil || f.mode != nil {
		return nil
	}
	return f.out.Chmod(*f.hidden)
}

// file is out for whoever has f from Create.
func (f *File) file() *os.File { return f.out.(*os.File) }

// Name returns the name given to Create.
func (f *File) Name() string { return f.target.name }

// Write appends p to the new content. The error is a *fs.PathError.
func (f *File) Write(p []byte) (int, error) {
	if err := f.ready("write"); err != nil {
		return 0, err
	}
	n, err := f.out.Write(p)
	return n, f.note(err)
}

// WriteString is Write of a string.
func (f *File) WriteString(s string) (int, error) {
	if err := f.ready("write"); err != nil {
		return 0, err
	}
	n, err := f.file().WriteString(s)
	return n, f.note(err)
}

// ReadFrom appends what r has until io.EOF; [io.Copy] uses it. An error of r
// also keeps Commit from publishing, since the content is cut short.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if err := f.ready("write"); err != nil {
		return 0, err
	}
	n, err := f.file().ReadFrom(r)
	return n, f.note(err)
}

// Seek sets where the next Write goes within the new content, as
// [os.File.Seek]: encoders return to fill in a header.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if err := f.ready("seek"); err != nil {
		return 0, err
	}
	n, err := f.file().Seek(offset, whence)
	return n, f.note(err)
}

// ReadAt reads from the new content so far, as [os.File.ReadAt]: to look at what was
// written before, or to sum it up. It fails for a special file that cannot be read.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.ready("read"); err != nil {
		return 0, err
	}
	n, err := f.out.ReadAt(p, offset)
	return n, f.named(err)
}

// Truncate makes the new content size bytes long, as [os.File.Truncate].
func (f *File) Truncate(size int64) error {
	if err := f.ready("truncate"); err != nil {
		return err
	}
	return f.note(f.file().Truncate(size))
}

// Chown sets the owner and group that the target has after Commit, in place of those
// that it has; -1 leaves one as it is. Those of a file that is rewritten in place are set
// by Commit, which then may fail for it.
func (f *File) Chown(uid, gid int) error {
	if err := f.ready("chown"); err != nil {
		return err
	}
	f.owner = &[2]int{uid, gid}
	if f.way == byRewrite {
		return nil // out is not what stays
	}
	return f.note(f.out.Chown(uid, gid))
}

// Stat describes the new content so far. Its Name is not that of the target.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := f.ready("stat"); err != nil {
		return nil, err
	}
	info, err := f.out.Stat()
	return info, f.named(err)
}

// dress gives dst, which is rewritten in place, what Chown and Chmod have asked for: only
// the file that was there when Create was called, and not what has come in its place.
func (f *File) dress(dst *os.File) error {
	if f.owner == nil && f.mode == nil {
		return nil
	}
	info, err := dst.Stat()
	if err == nil && !sameInode(info, f.target.info) {
		err = errChanged
	}
	if err == nil && f.owner != nil {
		err = dst.Chown(f.owner[0], f.owner[1])
	}
	if err == nil && f.mode != nil {
		err = dst.Chmod(*f.mode)
	}
	return err
}

// Chmod sets the mode that the target has after Commit, whether it exists
// or not. The umask does not apply. Without it, the new content of a file that
// exists can be read by nobody but its owner until Commit gives it the file's
// mode.
func (f *File) Chmod(mode fs.FileMode) error {
	if err := f.ready("chmod"); err != nil {
		return err
	}
	f.mode = &mode
	if f.way == byRewrite {
		return nil // out is not what stays
	}
	return f.named(f.out.Chmod(mode))
}

// Sync flushes the content so far to disk. Commit does so anyway; Sync is for
// learning early that the disk fails. A file system that cannot sync is no error.
func (f *File) Sync() error {
	if err := f.ready("sync"); err != nil {
		return err
	}
	if err := f.opts.at("sync"); err != nil {
		return f.note(f.target.wrap("sync", err))
	}
	return f.note(syncFile(f.out))
}

// ready fails once Commit or Close has run. Otherwise a step begins.
func (f *File) ready(op string) error {
	if f.done {
		return f.target.wrap(op, fs.ErrClosed)
	}
	if op != "write" {
		return nil
	}
	if err := f.opts.at(op); err != nil {
		return f.note(f.target.wrap(op, err))
	}
	return nil
}

// note keeps the first failure for Commit, and returns err under the
// target's name.
func (f *File) note(err error) error {
	err = f.named(err)
	if f.err == nil {
		f.err = err
	}
	return err
}

// named replaces the temporary's name in err by the target's. Errors of
// other files (a reader's) keep theirs.
func (f *File) named(err error) error {
	if e, ok := err.(*fs.PathError); ok && e.Path == f.out.Name() {
		return f.target.wrap(e.Op, e)
	}
	return err
}
