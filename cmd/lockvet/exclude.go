package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// exclude keeps other runs from fixing the same modules until unlock: one that comes
// while another is at work says so, and waits for it. The locks are on files in the
// user's cache directory, named after the folder of each module; where there can be none,
// runs do not exclude each other, and meet at worst a file that has changed.
func (s *session) exclude() (unlock func(), err error) {
	var held []*safeio.Held
	unlock = func() {
		for _, h := range held {
			h.Unlock()
		}
	}
	locks, err := cacheFolder("locks")
	if err != nil || os.MkdirAll(locks, 0o700) != nil {
		return unlock, nil
	}
	modules, err := s.load.MainModules()
	if err != nil {
		return unlock, nil // and loading says why
	}
	s.load.Modules, s.alone = modules, true
	var dirs []string
	for _, m := range modules {
		if real, err := filepath.EvalSymlinks(m.Dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	slices.Sort(dirs) // so that two runs do not wait for each other
	for _, dir := range dirs {
		h, err := s.excludeFrom(dir, lockFile(locks, dir))
		switch {
		case errors.Is(err, errInterrupted):
			unlock()
			return nil, err
		case err != nil:
			s.alone = false
		default:
			held = append(held, h)
		}
	}
	return unlock, nil
}

var errInterrupted = errors.New("interrupted; nothing was changed")

// excludeFrom takes the lock of one module, on the file.
func (s *session) excludeFrom(dir, file string) (*safeio.Held, error) {
	h, err := safeio.TryLock(file)
	if !errors.Is(err, safeio.ErrLocked) {
		return h, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.progress.clear()
	s.complain("another lockvet -fix is at work in %s (%s is locked): waiting for it", dir, file)
	h, err = safeio.LockContext(ctx, file)
	if err != nil && ctx.Err() != nil {
		return nil, errInterrupted
	}
	return h, err
}

// lockFile is the name of the file whose lock is that of the module in a folder.
func lockFile(locks, dir string) string {
	return filepath.Join(locks, fmt.Sprintf("%x", sha256.Sum256([]byte(dir))))
}
