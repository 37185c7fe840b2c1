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
	return replaceLedger(l.dir, data) // want `Late writes l.dir/ledger.json after it has released l.dir/ledger.lock.*no fix: what replaceLedger does besides may have to stay outside of the lock`
}

// Publish lets go in front of the rename itself.
func (l *ledger) Publish() error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	prepare(l.dir)
	g.Unlock()
	target := filepath.Join(l.dir, "ledger.json")
	if err := os.Rename(filepath.Join(l.dir, "ledger.new"), target); err != nil { // want `Publish writes l.dir/ledger.json after it has released l.dir/ledger.lock`
		return err
	}
	return nil
}

// Adopt returns the error of the rename.
func (l *ledger) Adopt() error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	prepare(l.dir)
	g.Unlock()
	return os.Rename(filepath.Join(l.dir, "ledger.old"), filepath.Join(l.dir, "ledger.json")) // want `Adopt writes l.dir/ledger.json after it has released l.dir/ledger.lock`
}

// Restore says why it lets go there.
func (l *ledger) Restore() error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	prepare(l.dir)
	// The rename is safe without.
	g.Unlock()
	return os.Rename(filepath.Join(l.dir, "ledger.bak"), filepath.Join(l.dir, "ledger.json")) // want `Restore writes l.dir/ledger.json after it has released l.dir/ledger.lock.*no fix: release the lock behind the write`
}

// Wait does more in between.
func (l *ledger) Wait() error {
	g := l.guard()
	if err := g.Lock(); err != nil {
		return err
	}
	g.Unlock()
	prepare(l.dir)
	return os.Rename(filepath.Join(l.dir, "ledger.tmp"), filepath.Join(l.dir, "ledger.json")) // want `Wait writes l.dir/ledger.json after it has released l.dir/ledger.lock.*no fix: release the lock behind the write`
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
