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

type settings struct{ Theme, Font string }

var (
	current   settings
	currentMu sync.RWMutex
)

// SetTheme is too late for the lock.
func SetTheme(theme string) error {
	currentMu.Lock()
	font := current.Font
	currentMu.Unlock()
	current.Theme = theme // want `SetTheme changes current.Theme after it has let go of currentMu`
	return store(settings{theme, font})
}

// Theme reads no file.
func Theme() string {
	currentMu.RLock()
	defer currentMu.RUnlock()
	return current.Theme
}

// Reset writes none.
func Reset() {
	currentMu.Lock()
	defer currentMu.Unlock()
	current.Theme = ""
}

func store(s settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile("settings.json", data, 0o600)
}
