// Package disk replaces files for the whole program, through a name that two at once share.
package disk

import "os"

// Replace replaces a file as a whole.
func Replace(path string, data []byte, perm os.FileMode) error {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, perm) // want `Replace writes path through path.tmp`
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Once replaces a file as a whole, and is named by one place alone.
func Once(path string, data []byte, perm os.FileMode) error { return Replace(path, data, perm) }

// Put replaces a file, and keeps what it gets in another one, too.
func Put(path string, data []byte, perm os.FileMode) error {
	if err := os.WriteFile(path+".last", data, perm); err != nil {
		return err
	}
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, perm) // want `Put writes path through path.new`
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
