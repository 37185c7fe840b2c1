package hold

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Another command shows who has it.
func (s *Store) shown() (func(), error) {
	lock := filepath.Join(s.dir, "shown.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprint(f, os.Getpid())
			f.Close()
			return func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).shown removes s.dir/shown.lock`
			continue
		}
		time.Sleep(time.Millisecond)
	}
}

// Owner is the process that has the lock.
func (s *Store) Owner() (int, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, "shown.lock"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(data))
}

// Acquire and Release have nothing between them that could hold a lock.
func (s *Store) Acquire() error {
	lock := filepath.Join(s.dir, "acquire.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).Acquire removes s.dir/acquire.lock`
		}
		time.Sleep(time.Millisecond)
	}
}

// Release removes the file.
func (s *Store) Release() error { return os.Remove(filepath.Join(s.dir, "acquire.lock")) } // want `Release removes the lock file s.dir/acquire.lock without a look whether it is still its own`

// forever is never let go of.
func (s *Store) forever() error {
	lock := filepath.Join(s.dir, "forever.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).forever removes s.dir/forever.lock`
		}
		time.Sleep(time.Millisecond)
	}
}

// handed gives the open file away.
func (s *Store) handed() (*os.File, func(), error) {
	lock := filepath.Join(s.dir, "handed.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f, func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).handed removes s.dir/handed.lock`
		}
		time.Sleep(time.Millisecond)
	}
}

// told says which process has it.
func (s *Store) told() (func(), error) {
	lock := filepath.Join(s.dir, "told.pid")
	if data, err := os.ReadFile(lock); err == nil {
		if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
			return nil, fmt.Errorf("process %d is running already", pid)
		}
	}
	if err := os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil { // want `\(\*Store\).told asks for s.dir/told.pid before it makes it`
		return nil, err
	}
	return func() { os.Remove(lock) }, nil
}

// forced takes the lock from whoever has it.
func (s *Store) forced(force bool) (func(), error) {
	lock := filepath.Join(s.dir, "forced.lock")
	if _, err := os.Stat(lock); err == nil && !force {
		return nil, errRunning
	}
	f, err := os.Create(lock) // want `\(\*Store\).forced asks for s.dir/forced.lock before it makes it`
	if err != nil {
		return nil, err
	}
	f.Close()
	return func() { os.Remove(lock) }, nil
}

// late gives up where too much time has passed, which is none of the file's.
func (s *Store) late(deadline time.Time) (func(), error) {
	lock := filepath.Join(s.dir, "late.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil {
			if time.Since(info.ModTime()) > maxAge {
				os.Remove(lock) // want `\(\*Store\).late removes s.dir/late.lock`
			} else if time.Now().After(deadline) {
				return nil, errRunning
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// sleepy waits only where it finds the file.
func (s *Store) sleepy() (func(), error) {
	lock := filepath.Join(s.dir, "sleepy.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil {
			if time.Since(info.ModTime()) > maxAge {
				os.Remove(lock) // want `\(\*Store\).sleepy removes s.dir/sleepy.lock`
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// elsewhere tells a helper where the lock is.
func (s *Store) elsewhere(note func(path string)) (func(), error) {
	lock := filepath.Join(s.dir, "elsewhere.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			note(lock)
			return func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).elsewhere removes s.dir/elsewhere.lock`
		}
		time.Sleep(time.Millisecond)
	}
}

// loud says why it gives up.
func (s *Store) loud(work func()) {
	lock := filepath.Join(s.dir, "loud.lock")
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		data, err := os.ReadFile(lock)
		if err != nil {
			return
		}
		if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
			fmt.Println("process", pid, "has it")
			return
		}
		os.Remove(lock) // want `\(\*Store\).loud removes s.dir/loud.lock`
		f, err = os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return
		}
	}
	fmt.Fprint(f, os.Getpid())
	f.Close()
	defer os.Remove(lock)
	work()
}

// status is asked for by a function that has nothing else to do with files.
func (s *Store) probed() (func(), error) {
	lock := filepath.Join(s.dir, "probed.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(lock) }, nil
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lock) // want `\(\*Store\).probed removes s.dir/probed.lock`
		}
		time.Sleep(time.Millisecond)
	}
}

func status(dir string) error {
	_, err := os.Stat(filepath.Join(dir, "probed.lock"))
	return err
}

// patient goes round again while the file is there.
func (s *Store) patient() (func(), error) {
	lock := filepath.Join(s.dir, "patient.lock")
	for range 10 {
		time.Sleep(time.Millisecond)
		if data, err := os.ReadFile(lock); err == nil && len(data) > 0 {
			if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
				continue
			}
			os.Remove(lock) // want `\(\*Store\).patient removes s.dir/patient.lock`
		}
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		f.Close()
		return func() { os.Remove(lock) }, nil
	}
	return nil, errRunning
}
