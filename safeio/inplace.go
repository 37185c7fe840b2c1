package safeio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mayRewrite reports whether err means that t cannot be replaced, although
// it may be possible to write to it.
func (t target) mayRewrite(err error) bool {
	return err != nil && t.info != nil && blocked(cause(err))
}

// spool is Create for a target that is to be rewritten in place because of
// why: the content is collected where temporary files can be made.
func (o Options) spool(t target, why error) (*File, error) {
	dst, err := o.openInPlace(t, why)
	if err != nil {
		return nil, err
	}
	dst.Close()
	// A container with a read-only root has no /tmp, but usually /dev/shm.
	for _, dir := range []string{os.TempDir(), "/dev/shm"} {
		out, _, err := o.temp(dir+string(filepath.Separator), 0o600, openForFile)
		if err == nil {
			return &File{opts: o, target: t, way: byRewrite, out: out}, nil
		}
	}
	return nil, why
}

// rewrite copies the content of f over the target, which could not be
// replaced because of why.
func (f *File) rewrite(why error) error {
	info, err := f.out.Stat()
	if err != nil {
		return f.named(err)
	}
	return f.opts.rewrite(f.target, f.out, info.Size(), f.mode, why)
}

// rewrite makes the content of t the first size bytes of src, in place. If
// mode is not nil, t gets it.
func (o Options) rewrite(t target, src io.ReaderAt, size int64, mode *fs.FileMode, why error) error {
	dst, err := o.openInPlace(t, why)
	if err != nil {
		return err
	}
	defer dst.Close()
	lockInPlace(dst)
	if mode != nil {
		if err := dst.Chmod(*mode); err != nil {
			return t.wrap("chmod", err)
		}
	}
	if err := o.overwrite(dst, src, size); err != nil {
		return t.wrap("write", err)
	}
	err = o.at("sync")
	if err == nil {
		err = syncFile(dst)
	}
	if err != nil {
		return t.published(err)
	}
	return nil
}

// openInPlace opens t to be written in place, unless Strict forbids it. A
// target that cannot be written at all gives that error first.
func (o Options) openInPlace(t target, why error) (*os.File, error) {
	dst, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, t.wrap("open", err)
	}
	if o.Strict {
		dst.Close()
		return nil, t.refusal(why)
	}
	return dst, nil
}

// overwrite grows dst first, so that a full disk leaves the old content, then
// writes over it, and cuts it last.
func (o Options) overwrite(dst *os.File, src io.ReaderAt, size int64) error {
	info, err := dst.Stat()
	if err != nil {
		return err
	}
	old := info.Size()
	if size >= old {
		if err := o.copyRange(dst, src, old, size); err != nil {
			return errors.Join(cause(err), cause(dst.Truncate(old)))
		}
		return o.copyRange(dst, src, 0, old)
	}
	if err := o.copyRange(dst, src, 0, size); err != nil {
		return err
	}
	if err := o.at("truncate"); err != nil {
		return err
	}
	return dst.Truncate(size)
}

// copyRange copies the bytes of src from start to end to the same place in dst.
func (o Options) copyRange(dst io.WriterAt, src io.ReaderAt, start, end int64) error {
	if err := o.at("overwrite"); err != nil {
		return err
	}
	_, err := io.Copy(io.NewOffsetWriter(dst, start), io.NewSectionReader(src, start, end-start))
	return err
}

const (
	lockPatience = 2 * time.Second
	lockPause    = 5 * time.Millisecond
)

// lockInPlace locks f against others that write it in place; closing f lets
// go. It gives up after lockPatience: the lock may be the caller's own,
// through another descriptor, and a wait without end would lose the content.
func lockInPlace(f *os.File) {
	for start := time.Now(); errors.Is(tryLock(f), errLocked) && time.Since(start) < lockPatience; {
		time.Sleep(lockPause)
	}
}
