//go:build !unix

package safeio

// A directory cannot be synced here.
type directory struct {
	path     string // ends in a separator, or is empty
	unsynced error  // nil
}

func openDirectory(path string) (directory, error) { return directory{path: path}, nil }

func (directory) sync() error { return nil }

func (directory) close() {}
