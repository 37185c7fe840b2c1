package goroutines

import (
	"sync"
)

func look(name string) (string, error) { return name, nil }

// addresses has the lock in one branch and not in the other.
func addresses(names []string, local string) map[string]string {
	var wg sync.WaitGroup
	var mu sync.Mutex
	found := map[string]string{}
	for _, n := range names {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			if name == local {
				found[name] = local // want `addresses starts goroutines, each of which changes the variable found without mu, under which others of them change it: Go ends the program when a map is used and changed at a time.*no fix: how much of the goroutine has to come under the lock is for its author to say`
				return
			}
			address, err := look(name)
			if err == nil {
				mu.Lock()
				found[name] = address
				mu.Unlock()
			}
		}(n)
	}
	wg.Wait()
	return found // ok: no goroutine runs any more
}

// missing looks into the map before it has the lock.
func missing(names []string) map[string]bool {
	var wg sync.WaitGroup
	mu := &sync.Mutex{}
	seen := map[string]bool{}
	for _, n := range names {
		wg.Go(func() {
			if seen[n] { // want `missing starts goroutines, each of which looks into the variable seen without mu, under which others of them change it`
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[n] = true
		})
	}
	wg.Wait()
	return seen
}

// firstError goes by an error that another goroutine may just set.
func firstError(names []string) error {
	var wg sync.WaitGroup
	var state struct {
		mu   sync.Mutex
		err  error
		done int
	}
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := look(n)
			state.mu.Lock()
			if err != nil {
				state.err = err
			}
			state.done++
			state.mu.Unlock()
			if state.done == len(names) { // want `firstError starts goroutines, each of which reads state.done without state.mu, under which others of them change it: what it reads may be half changed`
				println("all")
			}
		}()
	}
	wg.Wait()
	return state.err
}

// total loses what another adds.
func total(names []string) (n int) {
	var wg sync.WaitGroup
	var mu sync.RWMutex
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if name == "" {
				n++ // want `total starts goroutines, each of which changes the variable n without mu, under which others of them change it: one change can be lost`
				return
			}
			mu.Lock()
			n += len(name)
			mu.Unlock()
		}()
	}
	wg.Wait()
	return n
}
