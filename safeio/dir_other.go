//go:build !unix

package safeio

// A directory cannot be synced here.
type directory struct{}

func openDirectory(path string) (directory, error) { return directory{}, nil }

func (directory) sync() error { return nil }

func (directory) close() {}
