//go:build aix || (solaris && !illumos) || !(unix || windows)

package safeio

import "errors"

// tryLock always fails. Solaris and AIX have the locks of fcntl, but any
// close of the file in the process releases those.
func tryLock(f descriptor) error { return errors.ErrUnsupported }
