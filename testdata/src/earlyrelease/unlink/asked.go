package unlink

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A runner asks its lock for the path.
type runner struct {
	one *flock.Flock
}

func (r *runner) acquire() bool {
	one := flock.New(filepath.Join("/var/lib/runner", "runner.lock"))
	if ok, _ := one.TryLock(); !ok {
		return false
	}
	r.one = one
	return true
}

func (r *runner) release() {
	r.one.Unlock()
	os.Remove(r.one.Path()) // want `\(\*runner\).release removes the lock file .*/runner.lock after it has released the lock`
}

// A guest leaves its lock where others come to, of whom each can open only what is
// their own.
type guest struct {
	one *flock.Flock
}

func (g *guest) acquire() bool {
	one := flock.New(filepath.Join(os.TempDir(), "guest.lock"))
	if ok, _ := one.TryLock(); !ok {
		return false
	}
	g.one = one
	return true
}

func (g *guest) release() {
	g.one.Unlock()
	os.Remove(g.one.Path()) // want `\(\*guest\).release removes the lock file .*/guest.lock after it has released the lock.*no fix: other users come to the directory`
}

// A locator says where files stand.
type locator interface {
	Get(which string) string
}

// alone says by a word which file it means.
func alone(at locator, work func()) error {
	lf := flock.New(at.Get("lockFile"))
	if err := lf.Lock(); err != nil {
		return err
	}
	work()
	_ = lf.Unlock()
	_ = os.Remove(at.Get("lockFile")) // want `alone removes the lock file at.Get\("lockFile"\) after it has released the lock`
	return nil
}
