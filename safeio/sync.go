package safeio

import "errors"

// syncFile makes the content of f durable. A file system that has no such
// operation is no error: what os.WriteFile would have saved there is saved.
//
// A page that could not be written may be reported by the same error, but is so
// only once. Therefore the question is put again: whoever can sync now could
// before, and has lost something.
func syncFile(f output) error {
	err := f.Sync()
	if unsynced(err) && unsynced(f.Sync()) {
		return nil
	}
	return err
}

// unsynced reports whether err says that there is nothing to sync with.
func unsynced(err error) bool {
	for _, none := range noSync {
		if errors.Is(err, none) {
			return true
		}
	}
	return false
}
