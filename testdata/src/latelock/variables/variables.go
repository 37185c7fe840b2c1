// Package variables keeps its state in variables of the package, beside their
// lock.
package variables

import (
	"encoding/json"
	"os"
	"sync"
)

var (
	mu    sync.Mutex
	cache = map[string]string{}
)

// Set changes the map before it has the lock.
func Set(k, v string) error {
	cache[k] = v // want `Set changes cache before it takes mu: who holds the lock meets the change half done or overwrites it`
	mu.Lock()
	defer mu.Unlock()
	return save()
}

// Delete has the lock.
func Delete(k string) error {
	mu.Lock()
	defer mu.Unlock()
	delete(cache, k)
	return save()
}

// Get has it, too.
func Get(k string) string {
	mu.Lock()
	defer mu.Unlock()
	return cache[k]
}

func save() error {
	data, err := json.Marshal(cache)
	if err != nil {
		return err
	}
	return os.WriteFile("cache.json", data, 0o600)
}
