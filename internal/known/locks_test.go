package known

import (
	"go/types"
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/srctest"
)

// TestLockFields checks which fields of a struct are locks.
func TestLockFields(t *testing.T) {
	set := srctest.New()
	if _, err := set.Check("example.com/x/semaphore", `package semaphore
		type Weighted struct{ n int64 }
		type Other struct{}
		func (w *Weighted) Release(n int64) {}`); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Check("example.com/x/queue", `package queue
		type Weighted struct{ n int64 }`); err != nil {
		t.Fatal(err)
	}
	pass, err := set.Check("example.com/p", `package p
		import (
			"os"
			"sync"
			"example.com/x/queue"
			"example.com/x/semaphore"
		)
		type spin struct{}
		func (*spin) Lock() {}
		func (*spin) Unlock() {}
		type flock struct{ f *os.File }
		func (flock) Lock() error { return nil }
		func (flock) Unlock() error { return nil }
		type half struct{}
		func (half) Lock() {}
		type keyed struct{}
		func (keyed) Lock(key string) {}
		func (keyed) Unlock(key string) {}
		type fields struct{ Lock, Unlock func() }
		type wraps struct{ sync.Mutex }
		type named sync.Mutex
		type alias = sync.Mutex
		type token chan struct{}
		type box[T any] struct{ mu sync.Mutex; v T }
		type all struct {
			mu, other sync.Mutex
			rw sync.RWMutex
			ptr *sync.Mutex
			locker sync.Locker
			spin spin
			spinPtr *spin
			flock flock
			wraps wraps
			alias alias
			ch chan struct{}
			tok token
			sem *semaphore.Weighted
			own interface{ Lock(); Unlock(); More() }
			sync.Mutex
			gen box[int]
			no1 half
			no2 keyed
			no3 fields
			no4 named
			no5 chan int
			no6 *semaphore.Other
			no7 *queue.Weighted
			no8 int
			no9 **sync.Mutex
			no10 []sync.Mutex
			no11 map[string]sync.Mutex
			no12 sync.WaitGroup
			no13 error
			no14 any
		}
		type number int`)
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) types.Type { return pass.Pkg.Scope().Lookup(name).Type() }
	want := []string{
		"mu", "other", "rw", "ptr", "locker", "spin", "spinPtr", "flock", "wraps", "alias", "ch", "tok", "sem", "own", "Mutex",
	}
	for _, typ := range []types.Type{lookup("all"), types.NewPointer(lookup("all"))} {
		var got []string
		for _, v := range LockFields(typ) {
			got = append(got, v.Name())
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %s: %q\nwant %q", typ, got, want)
		}
	}
	if list := LockFields(lookup("box")); len(list) != 1 || list[0].Name() != "mu" {
		t.Errorf("of a generic type: %v", list)
	}
	if list := LockFields(lookup("number")); list != nil {
		t.Errorf("of a number: %v", list)
	}
}
