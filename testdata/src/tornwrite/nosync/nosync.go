// Package nosync publishes files whose bytes may still stand in memory.
package nosync

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

type credentials struct{ Token string }

func (c *credentials) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.save renames a file over path that was never synced`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(c); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (c *credentials) saveBeside(path string) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveBeside renames a file over path that was never synced`
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// saveDeferred leaves all the tidying to its deferred calls.
func (c *credentials) saveDeferred(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveDeferred renames a file over path that was never synced`
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer func() { _ = os.Remove(tmp) }()
	defer f.Close()
	if err := json.NewEncoder(f).Encode(c); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// saveCareless removes the temporary file whatever happens, and closes it only
// where all is well.
func (c *credentials) saveCareless(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveCareless renames a file over path that was never synced`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(c); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// saveOwn sets the mode on the open file, which writes nothing to the disk.
func (c *credentials) saveOwn(path string, perm os.FileMode) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if info, err := f.Stat(); err != nil || info.Mode() != perm {
		if err := f.Chmod(perm); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return again(f.Name(), path) // want `\(\*credentials\)\.saveOwn renames a file over path that was never synced`
}

// again renames until it is let.
func again(from, to string) error {
	for {
		err := os.Rename(from, to)
		if err == nil || !os.IsPermission(err) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// fetch sums up what it writes.
func fetch(registry string, r io.Reader) (sum []byte, err error) {
	f, err := os.CreateTemp(registry, "blob-*") // want `fetch renames a file over its target in registry that was never synced`
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(h, f), r); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	sum = h.Sum(nil)
	return sum, os.Rename(f.Name(), filepath.Join(registry, hex.EncodeToString(sum)))
}

// saveWhole looks at the error of the write when the file is closed.
func (c *credentials) saveWhole(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveWhole renames a file over path that was never synced`
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer os.Remove(tmp)
	if err = f.Chmod(0o600); err == nil {
		_, err = f.Write(b)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// copyCredentials keeps both errors, and says which it was.
func copyCredentials(path string, in io.Reader) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `copyCredentials renames a file over path that was never synced`
	if err != nil {
		return fmt.Errorf("create temporary file: %w", err)
	}
	tmp := f.Name()
	_, copyErr := io.Copy(f, in)
	closeErr := f.Close()
	if copyErr != nil {
		os.Remove(tmp)
		return fmt.Errorf("copy: %w", copyErr)
	}
	if closeErr != nil {
		os.Remove(tmp)
		return fmt.Errorf("close: %w", closeErr)
	}
	return os.Rename(tmp, path)
}

// saveNamed returns what its result holds, in its own words; a helper tidies up.
func (c *credentials) saveNamed(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveNamed renames a file over path that was never synced`
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer func() {
		if _, statErr := os.Stat(tmp); statErr == nil {
			_ = os.Remove(tmp)
		}
	}()
	if _, err = f.Write(b); err != nil {
		_ = f.Close()
		return
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("failed to close temp file: %w", err)
	}
	return os.Rename(tmp, path)
}

// saveInWords says what could not be done.
func (c *credentials) saveInWords(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveInWords renames a file over path that was never synced`
	if err != nil {
		return fmt.Errorf("creating temp file: %w", err)
	}
	tmp := f.Name()
	if _, err := f.Write(b); err != nil {
		f.Close()
		os.Remove(tmp)
		return fmt.Errorf("writing temp file %s: %w", tmp, err)
	}
	// Renamed files must be closed on Windows.
	if err := f.Close(); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("closing temp file %s: %w", tmp, err)
	}
	return os.Rename(tmp, path)
}

// saveCalled says by the name of an error which step failed.
func (c *credentials) saveCalled(path string, data []byte) error {
	tmp, errCreate := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveCalled renames a file over path that was never synced`
	if errCreate != nil {
		return fmt.Errorf("create temp credentials: %w", errCreate)
	}
	defer os.Remove(tmp.Name())
	if _, errWrite := tmp.Write(data); errWrite != nil {
		_ = tmp.Close()
		return fmt.Errorf("write temp credentials: %w", errWrite)
	}
	if errClose := tmp.Close(); errClose != nil {
		return fmt.Errorf("close temp credentials: %w", errClose)
	}
	return os.Rename(tmp.Name(), path)
}

// saveReadable sets the mode last.
func (c *credentials) saveReadable(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credentials\)\.saveReadable renames a file over path that was never synced`
	if err != nil {
		return fmt.Errorf("create temp credentials: %w", err)
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		_ = tmp.Close()
		return fmt.Errorf("write temp credentials: %w", err)
	}
	if err := tmp.Chmod(0o640); err != nil {
		_ = tmp.Close()
		return fmt.Errorf("chmod temp credentials: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("close temp credentials: %w", err)
	}
	return os.Rename(tmp.Name(), path)
}

// keepTidy tells of what it could not remove: a sync that does less would leave the temporary file.
func (c *credentials) keepTidy(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".cred-*") // want `keepTidy renames a file over path that was never synced.*no fix: the error of removing the file is used`
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		gone := os.Remove(f.Name())
		if gone != nil {
			println("left behind")
		}
		return errors.Join(err, gone)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// copyTo closes what it reads in front of the sync.
func (c *credentials) copyTo(from, path string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `copyTo renames a file over path that was never synced`
	if err != nil {
		_ = src.Close()
		return err
	}
	if _, err := io.Copy(f, src); err != nil {
		_ = src.Close()
		_ = f.Close()
		return fmt.Errorf("copy credentials: %w", err)
	}
	_ = src.Close()

	if err := f.Close(); err != nil {
		return fmt.Errorf("close credentials: %w", err)
	}
	println("closed")
	return os.Rename(f.Name(), path)
}

// list writes through a buffer, and tidies up by names that others set.
func (c *credentials) list(path string, names []string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `list renames a file over path that was never synced`
	if err != nil {
		return err
	}
	temp, closed := f.Name(), false
	defer func() {
		if !closed {
			_ = f.Close()
		}
		if temp != "" {
			_ = os.Remove(temp)
		}
	}()
	w := bufio.NewWriter(f)
	for _, name := range names {
		if _, err := w.WriteString(name + "\n"); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	if err := f.Close(); err != nil {
		closed = true
		return err
	}
	closed = true
	if err := os.Chmod(temp, 0o640); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	temp = ""
	return nil
}
