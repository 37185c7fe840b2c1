package safeio

import (
	"os"
)

// Options is how a file is written. With NoSync its content need not survive a power cut: a cache, or a status file.
type Options struct{ NoSync bool }

// WriteFileNoSync is WriteFile with Options.NoSync.
func WriteFileNoSync(name string, data []byte, perm os.FileMode) error {
	return Options{NoSync: true}.WriteFile(name, data, perm)
}

// WriteFile is WriteFile with options.
func (o Options) WriteFile(name string, data []byte, perm os.FileMode) error {
	f, err := o.Create(name, perm)
	if err != nil {
		return err
	}
	f.Write(data) // Commit has its error
	return f.Commit()
}

// Create is CreatePerm with options.
func (o Options) Create(name string, perm os.FileMode) (*File, error) {
	f, err := CreatePerm(name, perm)
	if err == nil && o.NoSync {
		f.sync = func(*os.File) error { return nil }
	}
	return f, err
}
