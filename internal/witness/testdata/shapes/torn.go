package shapes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// SaveInPlace truncates the file before it writes it.
func SaveInPlace(path string, m map[string]int) error {
	return os.WriteFile(path, encode(m), 0o600) // shape: inplace
}

// SaveWhole replaces the file.
func SaveWhole(path string, m map[string]int) error {
	return replace(path, encode(m)) // twin: inplace
}

// SaveFixedTemp has one temporary name for all processes.
func SaveFixedTemp(path string, m map[string]int) error {
	f, err := os.Create(path + ".tmp") // shape: fixedtemp
	if err != nil {
		return err
	}
	if _, err := f.Write(encode(m)); err != nil {
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
	return os.Rename(path+".tmp", path)
}

// SavePidTemp has one temporary name for all goroutines.
func SavePidTemp(path string, m map[string]int) error {
	temp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(temp, encode(m), 0o600); err != nil { // shape: pidtemp
		return err
	}
	return os.Rename(temp, path) // shape: nosync
}

// SaveOwnTemp has a temporary name of its own.
func SaveOwnTemp(path string, m map[string]int) error {
	name := fmt.Sprintf("own-%d-*", os.Getpid())
	f, err := os.CreateTemp(filepath.Dir(path), name) // twin: pidtemp
	if err != nil {
		return err
	}
	if _, err := f.Write(encode(m)); err != nil {
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
	return os.Rename(f.Name(), path)
}

// SaveUnsynced renames what can still be in memory only.
func SaveUnsynced(path string, m map[string]int) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if _, err := f.Write(encode(m)); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path) // shape: nosync
}

// SaveSynced renames what is on the disk.
func SaveSynced(path string, m map[string]int) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new-*") // twin: fixedtemp
	if err != nil {
		return err
	}
	if _, err := f.Write(encode(m)); err != nil {
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
	return os.Rename(f.Name(), path) // twin: nosync
}

// SaveAcross has its temporary file in a directory that can be on another file system.
func SaveAcross(path string, m map[string]int) error {
	temp, err := elsewhere(path, m)
	if err != nil {
		return err
	}
	return os.Rename(temp, path) // shape: crossdir
}

// SaveNear does so, too, and has another way where that is the case.
func SaveNear(path string, m map[string]int) error {
	temp, err := elsewhere(path, m)
	if err != nil {
		return err
	}
	err = os.Rename(temp, path) // twin: crossdir
	if errors.Is(err, syscall.EXDEV) {
		return errors.Join(os.Remove(temp), replace(path, encode(m)))
	}
	return err
}

// elsewhere is the name of a file with the content in another directory.
func elsewhere(path string, m map[string]int) (string, error) {
	dir := filepath.Join(filepath.Dir(path), "new")
	temp := filepath.Join(dir, filepath.Base(path))
	return temp, errors.Join(os.MkdirAll(dir, 0o700), replace(temp, encode(m)))
}

// SaveStuck cannot save once it was killed before the rename.
func SaveStuck(path string, m map[string]int) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // shape: stucktemp
	return finish(f, err, path, m)
}

// SaveAgain removes what was left.
func SaveAgain(path string, m map[string]int) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // twin: stucktemp
	if os.IsExist(err) {
		os.Remove(path + ".new")
		f, err = os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return finish(f, err, path, m)
}

// finish writes a file and puts it in place.
func finish(f *os.File, err error, path string, m map[string]int) error {
	if err != nil {
		return err
	}
	_, err = f.Write(encode(m))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// SaveChild truncates the file, in a process that a test starts.
func SaveChild(path string, m map[string]int) error {
	return os.WriteFile(path, encode(m), 0o600) // process: inplace
}

// SaveFailing is reached by a test only that fails without anybody's help.
func SaveFailing(path string, m map[string]int) error {
	return os.WriteFile(path, encode(m), 0o600) // failing: inplace
}

// SaveUntested is reached by no test.
func SaveUntested(path string, m map[string]int) error {
	return os.WriteFile(path, encode(m), 0o600) // untested: inplace
}
