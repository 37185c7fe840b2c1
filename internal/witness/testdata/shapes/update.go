package shapes

import (
	"os"
	"path/filepath"
	"syscall"
)

// Add loads, changes and saves, with nothing around the three.
func Add(path, key string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // shape: update
}

// AddLine adds a line behind an empty one: what it saves begins with what it has loaded, and a line break.
func AddLine(path, line string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return replace(path, append(content, "\n"+line+"\n"...)) // shape: update
}

// AddFirst creates the file, and its directory, if they are not there.
func AddFirst(path, key string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace(path, encode(m)) // first: update
}

// AddLocked does so under a lock between processes.
func AddLocked(path, key string) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // twin: update
}

// AddRecordLocked does so under a lock of the other kind.
func AddRecordLocked(path, key string) error {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return err
	}
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // twin: update
}

// AddOrReset begins again when the file cannot be decoded.
func AddOrReset(path, key string) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	m, err := load(path) // shape: clobber
	if err != nil {
		m = map[string]int{}
	}
	m[key]++
	return replace(path, encode(m))
}

// AddOrFail leaves what it cannot decode.
func AddOrFail(path, key string) error {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	m, err := load(path) // twin: clobber
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m))
}

// lock takes a lock on a file that is never removed.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// AddLate takes the lock when it has loaded.
func AddLate(path, key string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	unlock, err := lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	m[key]++
	return replace(path, encode(m)) // first: update
}

// AddBeside has the lock of another file while it loads, and again while it saves.
func AddBeside(path, key string) error {
	unlock, err := lock(path + ".index")
	if err != nil {
		return err
	}
	m, err := load(path)
	unlock()
	if err != nil {
		return err
	}
	m[key]++
	if unlock, err = lock(path + ".index"); err != nil {
		return err
	}
	defer unlock()
	return replace(path, encode(m)) // shape: update
}

// AddClaimed has the claim of another file while it loads.
func AddClaimed(path, key string) error {
	if err := ClaimExclusive(path + ".pid"); err != nil {
		return err
	}
	m, err := load(path)
	os.Remove(path + ".pid")
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // shape: update
}

// AddShared has a lock that others can have as well.
func AddShared(path, key string) error {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		return err
	}
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // shape: update
}

// AddOnceClaimed makes a file that nobody removes again: no lock is called so.
func AddOnceClaimed(path, key string) error {
	if err := ClaimExclusive(path + ".claims"); err != nil && err != ErrHeld {
		return err
	}
	m, err := load(path)
	if err != nil {
		return err
	}
	m[key]++
	return replace(path, encode(m)) // left: update
}
