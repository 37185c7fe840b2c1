// Package lockvet holds what the rest of the module cannot embed from where
// it lives: package safeio, of which the command copies what mended code calls
// into modules under repair. It knows nothing of the analysis.
package lockvet

import "embed"

// SafeioSource is the source of package safeio without its tests. Its files stand
// under the directory "safeio".
//
//go:embed safeio/acl_linux.go safeio/acl_other.go safeio/acquire.go safeio/agent.go safeio/append.go
//go:embed safeio/appendqueue.go safeio/commit.go safeio/dir_linux.go safeio/dir_other.go safeio/dir_unix.go
//go:embed safeio/doc.go safeio/file.go safeio/holder_linux.go safeio/holder_other.go safeio/inplace.go safeio/json.go
//go:embed safeio/lock.go safeio/lock_flock.go safeio/lock_none.go safeio/lockfile_flock.go safeio/lockfile_none.go
//go:embed safeio/lockfile_windows.go safeio/open_other.go safeio/queue.go safeio/records.go safeio/remove.go
//go:embed safeio/state.go safeio/survey_linux.go safeio/survey_other.go safeio/sweep.go safeio/sweep_other.go
//go:embed safeio/sweep_unix.go safeio/sweep_windows.go safeio/sync.go safeio/sys_other.go safeio/sys_unix.go
//go:embed safeio/sys_windows.go safeio/target.go safeio/temp.go safeio/turnstile_linux.go safeio/turnstile_other.go
//go:embed safeio/update.go safeio/writefile.go
var SafeioSource embed.FS
