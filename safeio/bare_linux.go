package safeio

import (
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// A bareFile is a regular file that one call opens, writes and closes: a
// descriptor, for which package os would spend a system call on its flags.
type bareFile struct {
	fd   int
	name string
	info description // what Stat gave last
}

// create is an opener.
func (f *bareFile) create(d directory, name string, perm fs.FileMode) (output, error) {
	fd, err := d.openFile(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, modeBits(perm))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path + name, Err: err}
	}
	f.fd, f.name = fd, d.path+name
	return f, nil
}

// do calls a function until no signal interrupts it.
func (f *bareFile) do(op string, call func() error) error {
	if err := uninterrupted(call); err != nil {
		return &fs.PathError{Op: op, Path: f.name, Err: err}
	}
	return nil
}

// maxWrite is what Linux writes at a time: a little less than 2 GiB.
const maxWrite = 1 << 30

// atMost is as much of p as one call writes or reads.
func atMost(p []byte) []byte {
	if len(p) > maxWrite {
		return p[:maxWrite]
	}
	return p
}

func (f *bareFile) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		err = f.do("write", func() error {
			m, err := syscall.Write(f.fd, atMost(p[n:]))
			if m > 0 {
				n += m
			} else if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return err
		})
	}
	return n, err
}

func (f *bareFile) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		m := 0
		err := f.do("read", func() (err error) {
			m, err = syscall.Pread(f.fd, atMost(p[n:]), offset+int64(n))
			return err
		})
		if err != nil {
			return n, err
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// Stat describes the file. The next Stat overwrites the description.
func (f *bareFile) Stat() (fs.FileInfo, error) {
	f.info.name = f.name
	return &f.info, f.do("stat", func() error { return syscall.Fstat(f.fd, &f.info.st) })
}

func (f *bareFile) Sync() error {
	return f.do("sync", func() error { return syscall.Fsync(f.fd) })
}

func (f *bareFile) Chmod(mode fs.FileMode) error {
	return f.do("chmod", func() error { return syscall.Fchmod(f.fd, modeBits(mode)) })
}

func (f *bareFile) Chown(uid, gid int) error {
	return f.do("chown", func() error { return syscall.Fchown(f.fd, uid, gid) })
}

func (f *bareFile) Name() string { return f.name }

func (f *bareFile) Fd() uintptr { return uintptr(f.fd) }

// Close closes the file. An interrupted close has closed it.
func (f *bareFile) Close() error {
	if err := syscall.Close(f.fd); err != nil && err != syscall.EINTR {
		return &fs.PathError{Op: "close", Path: f.name, Err: err}
	}
	return nil
}

// A description of a file is what os.Lstat would return, where the caller has room
// for it.
type description struct {
	name string
	st   syscall.Stat_t
}

// lstat is os.Lstat.
func (i *description) lstat(name string) (fs.FileInfo, error) {
	for {
		err := syscall.Lstat(name, &i.st)
		if err == nil {
			i.name = name
			return i, nil
		}
		if err != syscall.EINTR {
			return nil, &fs.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
}

func (i *description) Name() string       { return filepath.Base(i.name) }
func (i *description) Size() int64        { return i.st.Size }
func (i *description) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *description) IsDir() bool        { return i.Mode().IsDir() }
func (i *description) Sys() any           { return &i.st }

var kinds = map[uint32]fs.FileMode{
	syscall.S_IFBLK: fs.ModeDevice, syscall.S_IFCHR: fs.ModeDevice | fs.ModeCharDevice, syscall.S_IFDIR: fs.ModeDir,
	syscall.S_IFIFO: fs.ModeNamedPipe, syscall.S_IFLNK: fs.ModeSymlink, syscall.S_IFSOCK: fs.ModeSocket,
}

func (i *description) Mode() fs.FileMode {
	mode := fileMode(i.st.Mode)
	if kind := i.st.Mode & syscall.S_IFMT; kind != syscall.S_IFREG {
		mode |= kinds[kind]
	}
	return mode
}
