package safeio

import "syscall"

// A directory is one open for its sync: a bare descriptor, because os.Open
// would also try to register it with the poller.
type directory struct {
	fd   int
	open bool
}

func openDirectory(path string) (directory, error) {
	if path == "" {
		path = "."
	}
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
		if err == nil {
			return directory{fd, true}, nil
		}
		if err != syscall.EINTR {
			return directory{}, err
		}
	}
}

// sync makes the names in the directory durable. A file system that has no
// such operation is no error.
func (d directory) sync() error {
	for {
		err := syscall.Fsync(d.fd)
		if unsynced(err) {
			return nil
		}
		if err != syscall.EINTR {
			return err
		}
	}
}

func (d directory) close() {
	if d.open {
		syscall.Close(d.fd)
	}
}
