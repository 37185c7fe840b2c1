package quiet

import "github.com/gofrs/flock"

type keeper struct{ l *flock.Flock }

// take gives back what lets go of the lock, for who needs it.
func (k *keeper) take() (func(), error) {
	if err := k.l.Lock(); err != nil {
		return nil, err
	}
	return func() { k.l.Unlock() }, nil
}

// The lock itself is at hand.
func (k *keeper) with(do func() error) error {
	if _, err := k.take(); err != nil {
		return err
	}
	err := do()
	k.l.Unlock()
	return err
}
