//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"syscall"
)

// writeBarely is the least that replaces a file such that nil means durable.
func writeBarely(path string, data []byte) error {
	temp := path + strconv.FormatUint(rand.Uint64(), 36) // or two writers would share it
	fd, err := syscall.Open(temp, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = syscall.Write(fd, data)
	if err == nil {
		err = syscall.Fsync(fd)
	}
	if err == nil {
		err = syscall.Rename(temp, path)
	}
	if err = errors.Join(err, syscall.Close(fd)); err != nil {
		return err
	}
	return syncBarely(filepath.Dir(path))
}

func syncBarely(dir string) error {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(syscall.Fsync(fd), syscall.Close(fd))
}

// lockBarely is the least that excludes others. Closing the descriptor unlocks.
func lockBarely(path string) (fd int, err error) {
	fd, err = syscall.Open(path+".lock", syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return fd, err
	}
	for {
		err := syscall.Flock(fd, syscall.LOCK_EX)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

func readBarely(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 512)
	n, err := syscall.Read(fd, buf)
	return buf[:max(n, 0)], errors.Join(err, syscall.Close(fd))
}

func appendBarely(path string, record []byte) error {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CREAT|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = syscall.Write(fd, record)
	return errors.Join(err, syscall.Fsync(fd), syscall.Close(fd))
}

func updateBarely(path string) error {
	fd, err := lockBarely(path)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	old, err := readBarely(path)
	if err != nil {
		return err
	}
	next, err := increment(old)
	if err != nil {
		return err
	}
	return writeBarely(path, next)
}

// increment is the change that updates make.
func increment(old []byte) ([]byte, error) {
	if len(old) == 0 {
		return []byte("1"), nil
	}
	n, err := strconv.Atoi(string(old))
	return strconv.AppendInt(nil, int64(n)+1, 10), err
}

// fileSystem names the kind of the file system that dir is on.
func fileSystem(dir string) string {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return "nothing"
	}
	kinds := map[uint32]string{
		0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0xf2f52010: "f2fs",
		0x01021994: "tmpfs", 0x794c7630: "overlayfs",
	}
	if kind, ok := kinds[uint32(st.Type)]; ok {
		return kind
	}
	return fmt.Sprintf("file system %#x", uint32(st.Type))
}
