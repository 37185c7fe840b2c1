package safeio

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
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
		d, err := openDirectory(dir + string(filepath.Separator))
		if err != nil {
			continue
		}
		out, _, err := o.temp(d, 0o600, openForFile)
		if err == nil {
			return &File{opts: o, target: t, way: byRewrite, out: out, dir: d}, nil
		}
		d.close()
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
	return f.opts.rewrite(f.target, f.out, info.Size(), f.dress, why)
}

// rewrite makes the content of t the first size bytes of src, in place. dress, if there
// is one, gives the file its access before.
func (o Options) rewrite(t target, src io.ReaderAt, size int64, dress func(*os.File) error, why error) error {
	dst, err := o.openInPlace(t, why)
	if err != nil {
		return err
	}
	defer dst.Close()
	defer lockInPlace(dst)()
	if dress != nil {
		if err := dress(dst); err != nil {
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
	dir, err := openDirectory(t.dir())
	if err != nil {
		return nil, t.wrap("open", err)
	}
	defer dir.close()
	dst, err := openToWrite(dir, t.base())
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
	if !info.Mode().IsRegular() {
		return errChanged
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

// ownLocks has the identities of the files that this process has locked themselves, since
// they can have no lock file.
var ownLocks sync.Map

// rewriting is held by who rewrites a file of which this process has the lock.
var rewriting sync.Mutex

// lockInPlace locks f against others that write it in place; unlock, and closing f, let
// go. Where this process has the lock of a file that has no lock file, it keeps out other
// processes already. It gives up after lockPatience: the lock may be the caller's own,
// through another descriptor, and a wait without end would lose the content.
func lockInPlace(f *os.File) (unlock func()) {
	for start := time.Now(); errors.Is(tryLock(f), errLocked) && time.Since(start) < lockPatience; {
		id, err := idOf(f)
		if _, own := ownLocks.Load(id); own && err == nil {
			rewriting.Lock()
			return rewriting.Unlock
		}
		time.Sleep(lockPause)
	}
	return func() {}
}
