//go:build aix || (solaris && !illumos) || !(unix || windows)

package safeio

import (
	"errors"
	"os"
)

type lockID struct{}

// A lockFile is never open: there are no locks here. Solaris and AIX have
// those of fcntl, but any close of the file in the process releases them.
type lockFile struct {
	id   lockID
	open bool
}

func (o Options) openLock(sidecar) (lockFile, error) { return lockFile{}, errors.ErrUnsupported }

func statLock(sidecar) (lockID, error) { return lockID{}, errors.ErrUnsupported }

func idOf(*os.File) (lockID, error) { return lockID{}, errors.ErrUnsupported }

func (lockFile) tryFlock(lockMode) error { return errors.ErrUnsupported }
func (lockFile) flock(lockMode) error    { return errors.ErrUnsupported }
func (lockFile) unlock() error           { return errors.ErrUnsupported }
func (lockFile) close() error            { return nil }

func elsewhere(error) bool { return false }

func lockless(error) bool { return false }

func isPlain(string) bool { return false }
