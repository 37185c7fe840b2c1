package shapes

import (
	"fmt"
	"os"
	"path/filepath"
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
