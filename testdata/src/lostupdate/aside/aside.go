package aside

import (
	"os"
	"path/filepath"
	"syscall"
)

func flock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// firstRun makes a mark that says nothing of the file.
func firstRun(dir string) error {
	f, err := os.OpenFile("/var/log/agent/first-run", os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
	v, err := load(filepath.Join(dir, "first.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "first.json"), v) // want `firstRun loads dir/first.json, changes it and saves it with no lock`
}

// withLogs does not look at whether it has made the directory.
func withLogs(dir string) error {
	_ = os.Mkdir(filepath.Join(dir, "logs"), 0o700)
	v, err := load(filepath.Join(dir, "logged.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "logged.json"), v) // want `withLogs loads dir/logged.json, changes it and saves it with no lock`
}

// alone makes a directory for itself, and takes it away when it has saved the file.
func alone(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "busy"), 0o700); err != nil {
		return err
	}
	defer os.Remove(filepath.Join(dir, "busy"))
	v, err := load(filepath.Join(dir, "alone.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "alone.json"), v)
}

// print has the printer for itself, and not the file.
func print(dir string) error {
	l, err := flock("/run/lock/printer")
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := load(filepath.Join(dir, "pages.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "pages.json"), v) // want `print loads dir/pages.json, changes it and saves it with no lock`
}

// aside takes the one lock of the program, which is named for it.
func aside(dir string) error {
	l, err := flock("/run/aside.lock")
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := load(filepath.Join(dir, "aside.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "aside.json"), v)
}

// scan and rescan have the same lock, wherever it stands.
func scan(dir string) error {
	l, err := flock("/run/lock/scanner")
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := load(filepath.Join(dir, "scans.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(dir, "scans.json"), v)
}

func rescan(dir string) error {
	l, err := flock("/run/lock/scanner")
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := load(filepath.Join(dir, "scans.json"))
	if err != nil {
		return err
	}
	v.N--
	return save(filepath.Join(dir, "scans.json"), v)
}

type store struct{ dir string }

// export makes a store, but lets go of its lock before.
func export(dir string) (*store, error) {
	l, err := flock(filepath.Join(dir, "store.lock"))
	if err != nil {
		return nil, err
	}
	l.Close()
	return &store{dir}, nil
}

func (s *store) bump() error {
	v, err := load(filepath.Join(s.dir, "bumps.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(s.dir, "bumps.json"), v) // want `\(\*store\).bump loads s.dir/bumps.json, changes it and saves it with no lock`
}

// A room is there as long as its lock is held.
type room struct {
	dir  string
	lock *os.File
}

func enter(dir string) (*room, error) {
	l, err := flock(filepath.Join(dir, "room.lock"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		l.Close()
		return nil, err
	}
	return &room{dir, l}, nil
}

func (r *room) bump() error {
	v, err := load(filepath.Join(r.dir, "guests.json"))
	if err != nil {
		return err
	}
	v.N++
	return save(filepath.Join(r.dir, "guests.json"), v)
}

// secret makes the secret of a file once, under a lock of its own: nothing of that is left
// when it has the secret.
func secret(file string) error {
	lock := file + ".secret.lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	return f.Close()
}

// seal has the secret before it loads the file, and no lock any more.
func seal(dir string) error {
	file := filepath.Join(dir, "sealed.json")
	if err := secret(file); err != nil {
		return err
	}
	v, err := load(file)
	if err != nil {
		return err
	}
	v.N++
	return save(file, v) // want `seal loads dir/sealed.json, changes it and saves it with no lock`
}

// tooLate takes the lock when it has loaded the file.
func tooLate(dir string) error {
	file := filepath.Join(dir, "counted.json")
	v, err := load(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(file + ".lock")
	v.N++
	return save(file, v) // want `tooLate loads dir/counted.json, changes it and saves it with no lock`
}
