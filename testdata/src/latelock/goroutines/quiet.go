package goroutines

import (
	"errors"
	"sync"
	"sync/atomic"
)

// perElement gives each goroutine an element of its own.
func perElement(names []string) ([]string, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var err error
	list := make([]string, len(names))
	for i, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, e := look(n)
			list[i] = s // ok: the elements are different ones
			if e != nil {
				mu.Lock()
				err = errors.Join(err, e)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return list, err // ok: behind the wait
}

// perRound makes the map anew in each round.
func perRound(names []string) {
	for _, n := range names {
		var mu sync.Mutex
		once := map[string]bool{}
		go func() {
			mu.Lock()
			once[n] = true
			mu.Unlock()
			delete(once, n) // ok: each goroutine has its own map
		}()
	}
}

// onlyOne starts a single goroutine.
func onlyOne(names []string) map[string]bool {
	var mu sync.Mutex
	seen, done := map[string]bool{}, make(chan bool)
	go func() {
		for _, n := range names {
			mu.Lock()
			seen[n] = true
			mu.Unlock()
		}
		delete(seen, "") // ok: nobody else has it before done
		close(done)
	}()
	<-done
	return seen
}

// perhaps locks where there is more than one goroutine, and the use is under the same condition.
func perhaps(names []string, alone bool) map[string]bool {
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if !alone {
				mu.Lock()
				defer mu.Unlock()
			}
			seen[n] = true // ok: the lock may be held
		}()
	}
	wg.Wait()
	return seen
}

// counted has an atomic beside what the lock is for.
func counted(names []string) (map[string]bool, int64) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var n atomic.Int64
	seen := map[string]bool{}
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n.Add(1) // ok: it needs no lock
			mu.Lock()
			defer mu.Unlock()
			seen[name] = true
			n.Add(1)
		}()
	}
	wg.Wait()
	return seen, n.Load()
}

// another has another lock there.
func another(names []string) map[string]bool {
	var wg sync.WaitGroup
	var mu, other sync.Mutex
	seen := map[string]bool{}
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			other.Lock()
			seen[n] = true // ok: another lock is held
			other.Unlock()
			mu.Lock()
			seen[n] = true
			mu.Unlock()
		}()
	}
	wg.Wait()
	return seen
}
