package unlock

import (
	"bufio"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

type register struct{ dir string }

// lock gives back what lets go of it.
func (r *register) lock() (func(), error) {
	l := flock.New(filepath.Join(r.dir, "register.lock"))
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

// enter is the one who lets go too early.
func (r *register) enter(line string) error {
	release, err := r.lock()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.dir, "register"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		release()
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	_, err = w.WriteString(line)
	release() // want `\(\*register\).enter releases the lock on r.dir/register before what it wrote is flushed`
	if err != nil {
		return err
	}
	return w.Flush()
}

func (r *register) unlock(l *flock.Flock) { l.Unlock() }

// leave lets a helper unlock.
func (r *register) leave(line string) error {
	l := flock.New(filepath.Join(r.dir, "register.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.dir, "register"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		r.unlock(l)
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	w.WriteString(line)
	r.unlock(l) // want `\(\*register\).leave releases the lock on r.dir/register before what it wrote is flushed`
	return w.Flush()
}
