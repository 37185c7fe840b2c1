// Package staging collects files in a directory before it moves them to where they
// belong.
package staging

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"tornwrite/staging/modules"
)

type project struct {
	Root, Debug string
}

var scratch = flag.String("scratch", "/var/tmp", "where to collect")

// vendor fetches modules and shows them when all of them are there.
func (p *project) vendor(names []string) error {
	dest := filepath.Join(p.Root, "vendored")
	stage := filepath.Join(p.Root, ".incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil { // want `\(\*project\).vendor collects files in p.Root/.incoming, a name that every run shares: the run that ends first removes what another has collected`
		return err
	}
	defer os.RemoveAll(stage)
	for _, name := range names {
		if err := fetch(name, stage); err != nil {
			return err
		}
	}
	return moveAll(stage, dest)
}

// moveAll moves the files of one directory to another.
func moveAll(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func fetch(name, dir string) error {
	if name == "" {
		return errors.New("no name")
	}
	return os.MkdirAll(filepath.Join(dir, name), 0o755)
}

// unpack removes it when it is done, not when it fails.
func unpack(home string, names []string) error {
	work := filepath.Join(home, "work")
	if err := os.MkdirAll(work, 0o700); err != nil { // want `unpack collects files in home/work, a name that every run shares`
		return err
	}
	for _, name := range names {
		if err := fetch(name, work); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(work, name), filepath.Join(home, name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(work)
}

// ownRun has a directory of its own.
func (p *project) ownRun(names []string) error {
	stage, err := os.MkdirTemp(p.Root, ".incoming-")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(stage, "files"), 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	for _, name := range names {
		if err := fetch(name, filepath.Join(stage, "files")); err != nil {
			return err
		}
	}
	return moveAll(filepath.Join(stage, "files"), filepath.Join(p.Root, "vendored"))
}

// ownProcess has one for its process.
func (p *project) ownProcess(names []string) error {
	stage := filepath.Join(p.Root, ".incoming-"+strconv.Itoa(os.Getpid()))
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// ofProcess has one below that of its process.
func (p *project) ofProcess() error {
	stage := filepath.Join(p.Root, strconv.Itoa(os.Getpid()), "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// ofTime has one below that of its time.
func (p *project) ofTime() error {
	stage := filepath.Join(p.Root, time.Now().Format("20060102-150405.000"), "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// ofRun has one below that of its run.
func (p *project) ofRun() error {
	own, err := os.MkdirTemp(p.Root, "run-")
	if err != nil {
		return err
	}
	stage := filepath.Join(own, "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// chosen has it where the user wants it.
func (p *project) chosen() error {
	stage := filepath.Join(*scratch, "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// either has one that others may not have.
func (p *project) either(debug bool) error {
	dir := p.Root
	if debug {
		dir = p.Debug
	}
	stage := filepath.Join(dir, "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// fetched has another package do it, which hears of it.
func (p *project) fetched(name string) error {
	if err := modules.Fetch(p.Root, name); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(p.Root, "outdated"))
}

// named has one for what it works on.
func (p *project) named(name string) error {
	stage := filepath.Join(p.Root, name)
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// guarded is the only one who can be there.
func (p *project) guarded(names []string) error {
	l, err := os.OpenFile(filepath.Join(p.Root, "vendor.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	stage := filepath.Join(p.Root, ".incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// rotate moves within the directory that it removes.
func (p *project) rotate() error {
	old := filepath.Join(p.Root, "old")
	if err := os.MkdirAll(old, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(old)
	return os.Rename(filepath.Join(old, "a"), filepath.Join(old, "b"))
}

// keep does not remove it.
func (p *project) keep() error {
	stage := filepath.Join(p.Root, ".incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// renew begins with nothing, and leaves what it has collected.
func (p *project) renew() error {
	stage := filepath.Join(p.Root, ".incoming")
	if err := os.RemoveAll(stage); err != nil {
		return err
	}
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	return moveAll(stage, filepath.Join(p.Root, "vendored"))
}

// generate works below the directory in which it is run.
func generate() error {
	if err := os.MkdirAll("build/out", 0o755); err != nil {
		return err
	}
	defer os.RemoveAll("build/out")
	return moveAll("build/out", "dist")
}

// generateFor does, too, with one for what it works on.
func generateFor(name string) error {
	stage := filepath.Join("build", name, "incoming")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return moveAll(stage, "dist")
}
