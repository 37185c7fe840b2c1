package opens

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

type shelf struct {
	dir, logs string
	Books     []string
}

// logged has locked a log file and let go of it: that keeps nobody from the books.
func (s *shelf) logged() error {
	log, err := os.OpenFile(filepath.Join(s.logs, "app.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_UN); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(s.dir, "books.json")) // want `\(\*shelf\).logged empties s.dir/books.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(s.Books)
}

// moved renames the file where it is an old one, and returns.
func (s *shelf) moved(old bool) error {
	path := filepath.Join(s.dir, "books.json")
	if old {
		return os.Rename(path, path+".old")
	}
	f, err := os.Create(path) // want `\(\*shelf\).moved empties s.dir/books.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(s.Books)
}

// kept keeps the file of before under another name.
func (s *shelf) kept() error {
	path := filepath.Join(s.dir, "books.json")
	if err := os.Rename(path, path+".bak"); err != nil {
		return err
	}
	f, err := os.Create(path) // want `\(\*shelf\).kept empties s.dir/books.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(s.Books)
}

// elsewhere holds the lock of a log file meanwhile.
func (s *shelf) elsewhere() error {
	log, err := os.OpenFile(filepath.Join(s.logs, "app.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_SH); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(s.dir, "books.json")) // want `\(\*shelf\).elsewhere empties s.dir/books.json before the lock on it is held`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(s.Books)
}
