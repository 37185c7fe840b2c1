package quiet

import (
	"os"

	"github.com/gofrs/flock"
)

// box has files of which only a map knows the names.
type box struct{ mounts map[string]string }

func (b *box) cleanup() error {
	if hosts, ok := b.mounts["hosts"]; ok {
		l := flock.New(hosts)
		if err := l.Lock(); err != nil {
			return err
		}
		defer l.Unlock()
	}
	return nil
}

// remake removes one that nobody has locked.
func (b *box) remake() error {
	if err := b.cleanup(); err != nil {
		return err
	}
	if resolv, ok := b.mounts["resolv"]; ok {
		return os.Remove(resolv) // ok: not known to be the one that is locked
	}
	return nil
}
