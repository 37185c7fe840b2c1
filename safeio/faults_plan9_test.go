package safeio

import "syscall"

// faults are what disks and systems fail with.
var faults = []error{syscall.EIO}
