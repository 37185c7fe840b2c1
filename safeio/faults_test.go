//go:build !plan9

package safeio

import "syscall"

// faults are what disks and systems fail with.
var faults = []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE}
