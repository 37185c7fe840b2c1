//go:build linux

package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A volatileDisk is a file, served by FUSE, that stands for a disk with a volatile write
// cache. Of what was written since the last flush a power cut may leave any subset, in
// units of a page.
type volatileDisk struct {
	fs.Inode
	mu      sync.Mutex
	current []byte
	durable []byte  // as of the last flush
	pending []write // since then
	flushes int
	waiting chan cutState // for one who waits for a flush of least writes
	least   int
}

// A write is one that the disk may lose.
type write struct {
	off  int64
	data []byte
}

// A cutState is what the disk has for sure, and what it may have.
type cutState struct {
	durable []byte
	pending []write
}

// diskName is the name of the disk in the directory where it is served.
const diskName = "disk"

type diskRoot struct {
	fs.Inode
	disk *volatileDisk
}

func (r *diskRoot) OnAdd(ctx context.Context) {
	r.AddChild(diskName, r.NewPersistentInode(ctx, r.disk, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// serveDisk serves a disk with that content in the directory at.
func serveDisk(content []byte, at string) (*volatileDisk, *fuse.Server, error) {
	d := &volatileDisk{current: content, durable: bytes.Clone(content)}
	server, err := fs.Mount(at, &diskRoot{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{
		FsName: homePrefix + "disk", DirectMount: true, MaxWrite: 1 << 20,
	}})
	if err != nil {
		return nil, nil, err
	}
	return d, server, keepFromChildren("/dev/fuse")
}

// keepFromChildren has no process that is started from now on have the device open. As long
// as one had, whoever uses the disk of a run that was killed would wait for an answer.
func keepFromChildren(device string) error {
	open, err := os.ReadDir("/proc/self/fd")
	for _, e := range open {
		fd, unnumbered := strconv.Atoi(e.Name())
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to == device && unnumbered == nil {
			syscall.CloseOnExec(fd)
		}
	}
	return err
}

// path is where the disk is served.
func (*volatileDisk) path(at string) string { return filepath.Join(at, diskName) }

func (d *volatileDisk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o600|syscall.S_IFREG, uint64(len(d.current))
	return 0
}

func (d *volatileDisk) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, f, out)
}

func (d *volatileDisk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, 0, 0
}

func (d *volatileDisk) Read(_ context.Context, _ fs.FileHandle, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := copy(buf, d.current[min(off, int64(len(d.current))):])
	return fuse.ReadResultData(buf[:n]), 0
}

func (d *volatileDisk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	copy(d.current[off:], data)
	d.pending = append(d.pending, write{off, bytes.Clone(data)})
	return uint32(len(data)), 0
}

// Fsync is the flush.
func (d *volatileDisk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting != nil && len(d.pending) >= d.least {
		d.waiting <- d.state()
		d.waiting = nil
	}
	for _, w := range d.pending {
		copy(d.durable[w.off:], w.data)
	}
	d.pending = nil
	d.flushes++
	return 0
}

func (d *volatileDisk) state() cutState {
	return cutState{bytes.Clone(d.durable), slices.Clone(d.pending)}
}

// now is the state of the disk.
func (d *volatileDisk) now() cutState {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state()
}

// atFlush is the state just before a flush that makes at least so many writes durable.
func (d *volatileDisk) atFlush(least int) cutState {
	taken := make(chan cutState, 1)
	d.mu.Lock()
	d.waiting, d.least = taken, least
	d.mu.Unlock()
	select {
	case state := <-taken:
		return state
	case <-time.After(flushPatience):
		return d.now()
	}
}

// flushPatience bounds the wait for a flush: whoever writes may have failed.
const flushPatience = 20 * time.Second

// flushed is how often it was flushed.
func (d *volatileDisk) flushed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.flushes
}

// page is what a disk writes all or nothing of.
const page = 4096

// subsets choose which of the pending writes a cut leaves: whether the byte at off of the
// i-th of n.
var subsets = []func(r *rand.Rand, n int) func(i, off int) bool{
	func(*rand.Rand, int) func(i, off int) bool { return func(int, int) bool { return false } }, // none
	func(*rand.Rand, int) func(i, off int) bool { return func(int, int) bool { return true } },  // all
	func(r *rand.Rand, n int) func(i, off int) bool { // those that came first
		end := r.IntN(n + 1)
		return func(i, _ int) bool { return i < end }
	},
	func(r *rand.Rand, _ int) func(i, off int) bool { // any pages
		return func(int, int) bool { return r.IntN(2) == 0 }
	},
	func(r *rand.Rand, n int) func(i, off int) bool { // those that came last, and few of the first
		return func(i, off int) bool { return i >= n/2 || off == 0 && r.IntN(4) == 0 }
	},
	func(r *rand.Rand, n int) func(i, off int) bool { // any writes, whole
		chosen := r.Perm(n)
		return func(i, _ int) bool { return chosen[i] < n/2 }
	},
}

// after is what a disk holds after a cut that leaves one of the subsets.
func (s cutState) after(subset int, r *rand.Rand) []byte {
	image := bytes.Clone(s.durable)
	keeps := subsets[subset](r, len(s.pending))
	for i, w := range s.pending {
		for off := 0; off < len(w.data); off += page {
			if keeps(i, off) {
				copy(image[w.off+int64(off):], w.data[off:min(off+page, len(w.data))])
			}
		}
	}
	return image
}
