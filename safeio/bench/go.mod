module github.com/lockvet/lockvet/safeio/bench

go 1.26.0

require (
	github.com/gofrs/flock v0.13.1
	github.com/google/renameio/v2 v2.0.2
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/lockvet/lockvet/safeio v0.0.0
	github.com/moby/sys/atomicwriter v0.1.0
	github.com/natefinch/atomic v1.0.1
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/sys v0.49.0
)

require github.com/moby/sys/sequential v0.6.0 // indirect

replace github.com/lockvet/lockvet/safeio => ..
