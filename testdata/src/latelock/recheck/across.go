package recheck

import (
	"os"
	"path/filepath"
	"sync"
)

type lab struct {
	dir     string
	setting sync.Mutex // held by whoever sets up a bench
	mu      sync.Mutex
	benches map[string]*talk
}

// setUp has a lock of its own from the look to the entry.
func (l *lab) setUp(key string) error {
	l.setting.Lock()
	defer l.setting.Unlock()
	l.mu.Lock()
	_, ok := l.benches[key]
	l.mu.Unlock()
	if ok {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(l.dir, key), 0o755); err != nil {
		return err
	}
	l.mu.Lock()
	l.benches[key] = &talk{Key: key} // ok: l.setting is held from the look on
	l.mu.Unlock()
	return nil
}

// setUpApart releases it in between.
func (l *lab) setUpApart(key string) error {
	l.setting.Lock()
	l.mu.Lock()
	_, ok := l.benches[key]
	l.mu.Unlock()
	l.setting.Unlock()
	if ok {
		return nil
	}
	if err := os.WriteFile(filepath.Join(l.dir, key), nil, 0o644); err != nil {
		return err
	}
	l.setting.Lock()
	defer l.setting.Unlock()
	l.mu.Lock()
	l.benches[key] = &talk{Key: key} // want `\(\*lab\).setUpApart enters a new object into l.benches because an earlier look found none`
	l.mu.Unlock()
	return nil
}

// bench looks under the lock.
func (l *lab) bench(key string) *talk {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.benches[key]
}
