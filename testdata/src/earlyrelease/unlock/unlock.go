package unlock

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

type ledger struct{ dir string }

func (l *ledger) guard() *flock.Flock { return flock.New(filepath.Join(l.dir, "ledger.lock")) }

func replaceLedger(dir string, data []byte) error {
	tmp, err := os.CreateTemp(dir, "ledger-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, "ledger.json"))
}

// Save writes under the lock.
func (l *ledger) Save(data []byte) error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	defer g.Unlock()
	return os.Rename(filepath.Join(l.dir, "ledger.new"), filepath.Join(l.dir, "ledger.json"))
}

// Late lets go first.
func (l *ledger) Late(data []byte) error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	prepare(l.dir)
	g.Unlock()
	return replaceLedger(l.dir, data) // want `Late writes l.dir/ledger.json after it has let go of l.dir/ledger.lock`
}

func prepare(dir string) { os.MkdirAll(dir, 0o700) }

// Twice lets each of two helpers take the lock and let go of it: what it writes
// itself is under no lock that it had.
func (l *ledger) Twice(data []byte) error {
	if err := l.Save(data); err != nil {
		return err
	}
	if err := l.touch(); err != nil {
		return err
	}
	return replaceLedger(l.dir, data)
}

func (l *ledger) touch() error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	defer g.Unlock()
	return nil
}
