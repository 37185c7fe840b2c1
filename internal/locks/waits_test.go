package locks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/effects/effectstest"
	"github.com/lockvet/lockvet/internal/srctest"
)

// lockedStore is a package whose functions take the lock of a store.
const lockedStore = `package store

import (
	"os"
	"path/filepath"

	"example.com/agentd/lockutil"
	"github.com/gofrs/flock"
)

func Take(dir string) error {
	l := flock.New(filepath.Join(dir, "store.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return os.Remove(filepath.Join(dir, "store"))
}

func Look(dir string) error {
	l := flock.New(filepath.Join(dir, "store.lock"))
	if err := l.RLock(); err != nil {
		return err
	}
	return l.Unlock()
}

func Try(dir string) error {
	l := flock.New(filepath.Join(dir, "store.lock"))
	if _, err := l.TryLock(); err != nil {
		return err
	}
	return l.Unlock()
}

func Part(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "store.lock"), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return lockutil.Record(f, lockutil.Write)
}

// Long does more than a caller is told.
func Long(dir string) error {
	l := flock.New(filepath.Join(dir, "store.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
%s	return l.Unlock()
}

// At keeps a lock of which only the run says where it is.
func At(place func() string) error { return flock.New(place()).Lock() }
`

// TestWaits: a call of another package waits for a lock that the caller has, unless it
// has let go of it by then or does not mind.
func TestWaits(t *testing.T) {
	var removes strings.Builder
	for i := range 40 { // more than a fact tells
		fmt.Fprintf(&removes, "\tos.Remove(filepath.Join(dir, \"%d\"))\n", i)
	}
	store := fmt.Sprintf(lockedStore, removes.String())
	const has = `func f(dir string, done bool) {
	l := flock.New(filepath.Join(dir, "store.lock"))
	l.Lock()
	`
	const reads = `func f(dir string) {
	l := flock.New(filepath.Join(dir, "store.lock"))
	l.RLock()
	`
	const touch = `func touch(dir string) {
	l := flock.New(filepath.Join(dir, "store.lock"))
	l.Lock()
	os.Remove(filepath.Join(dir, "touched"))
	l.Unlock()
}
`
	for _, c := range []struct {
		name, src string
		waits     bool
	}{
		{"it has the lock", has + `store.Take(dir) }`, true},
		{"it has another", strings.Replace(has, "store.lock", "other.lock", 1) + `store.Take(dir) }`, false},
		{"it lets go of it behind", has + `store.Take(dir); l.Unlock() }`, true},
		{"it lets go of it at its end", has + `defer l.Unlock(); store.Take(dir) }`, true},
		{"it has let go of it", has + `l.Unlock(); store.Take(dir) }`, false},
		{"it has let go of it sometimes", has + `if done { l.Unlock() }; store.Take(dir) }`, true},
		{"a call takes it and lets go of it", touch + `func f(dir string) { touch(dir); store.Take(dir) }`, false},
		{"a call of the package does, behind much else", `func f(dir string) { store.Long(dir); store.Take(dir) }`, false},
		{"it has taken it again", has + `l.Unlock(); l.Lock(); store.Take(dir) }`, true},
		{"a call lets go of it and takes it again", `func again(l *flock.Flock) { l.Unlock(); l.Lock() }
` + has + `again(l); store.Take(dir) }`, true},
		{"at the end, it has taken it again", has + `l.Unlock(); defer store.Take(dir); l.Lock() }`, true},
		{"a function of the package takes it", touch + has + `touch(dir); l.Unlock(); store.Look(dir) }`, false},
		{"one reads", reads + `store.Take(dir) }`, true},
		{"the other reads", has + `store.Look(dir) }`, true},
		{"both read", reads + `store.Look(dir) }`, false},
		{"it is tried", has + `store.Try(dir) }`, false},
		{"a goroutine waits", has + `go store.Take(dir) }`, false},
		{"a goroutine has it", touch + `func f(dir string) { go touch(dir); store.Take(dir) }`, false},
		{"at the end, it is had and let go of before", touch + `func f(dir string) { defer store.Take(dir); defer touch(dir) }`, false},
		{"locks of records", `func f(dir string) {
			f, _ := os.OpenFile(filepath.Join(dir, "store.lock"), os.O_RDWR, 0o600)
			lockutil.Record(f, lockutil.Write)
			store.Part(dir)
		}`, false},
		{"nobody knows which", `func f(place func() string) { store.At(place); store.At(place) }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := effectstest.NewLocks(t)
			w.Build("example.com/agentd/store", store)
			src := strings.Replace(srctest.LockSource(c.src), "package p\n", "package p\nimport \"example.com/agentd/store\"\n", 1)
			if got := Waits(w.Build("example.com/agentd/p", src)); (len(got) > 0) != c.waits {
				t.Errorf("it waits %d times: %v", len(got), got)
			}
		})
	}
}
