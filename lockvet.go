// Package lockvet holds what the rest of the module cannot embed from where
// it lives: the part of package safeio that mended code calls, which the command
// copies into modules under repair. It knows nothing of the analysis.
package lockvet

import "embed"

// SafeioSource is the source of the part of package safeio that replaces files
// and locks them. It compiles without the rest. Its files stand under the directory "safeio".
//
//go:embed safeio/acl_linux.go safeio/acl_other.go safeio/commit.go safeio/doc.go safeio/file.go safeio/inplace.go
//go:embed safeio/dir_linux.go safeio/dir_other.go safeio/dir_unix.go safeio/lock_flock.go safeio/lock_none.go
//go:embed safeio/lock.go safeio/acquire.go safeio/agent.go safeio/queue.go safeio/turnstile_linux.go safeio/turnstile_other.go
//go:embed safeio/lockfile_flock.go safeio/lockfile_none.go safeio/lockfile_windows.go safeio/holder_linux.go safeio/holder_other.go safeio/survey_linux.go safeio/survey_other.go
//go:embed safeio/sync.go safeio/sys_other.go safeio/sys_unix.go safeio/sys_windows.go safeio/target.go safeio/temp.go safeio/writefile.go
var SafeioSource embed.FS
