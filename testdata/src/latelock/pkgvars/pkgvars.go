// Package pkgvars has memory in variables, and a lock for it beside them. It has no files.
package pkgvars

import "sync"

type conn struct{ open map[string]int }

var (
	mu    sync.RWMutex
	conns = map[string]*conn{}
	first *conn
	count int
)

func get(name string) *conn {
	mu.RLock()
	c, ok := conns[name]
	mu.RUnlock()
	if ok {
		return c
	}
	c = &conn{open: map[string]int{}}
	mu.Lock()
	conns[name] = c // want `get enters a new object into conns because an earlier look found none, but has released mu since`
	mu.Unlock()
	return c
}

func drop(name string) {
	mu.RLock()
	defer mu.RUnlock()
	delete(conns, name) // want `drop changes conns while it holds only the read lock of mu`
}

func instance() *conn {
	if first != nil {
		return first
	}
	mu.Lock()
	defer mu.Unlock()
	first = &conn{open: map[string]int{}} // want `instance sets first because an earlier look found it unset, but had not taken mu then`
	return first
}

func reset() {
	mu.Lock()
	defer mu.Unlock()
	first = nil
	conns = map[string]*conn{}
}

func bump() {
	count++ // want `bump changes count before it takes mu`
	mu.Lock()
	defer mu.Unlock()
	count++
}

func counted() int {
	mu.RLock()
	defer mu.RUnlock()
	return count
}

func uncount() {
	mu.Lock()
	defer mu.Unlock()
	count = 0
}

// again looks once more under the lock.
func again(name string) *conn {
	mu.RLock()
	c := conns[name]
	mu.RUnlock()
	if c != nil {
		return c
	}
	mu.Lock()
	defer mu.Unlock()
	if c := conns[name]; c != nil {
		return c
	}
	c = &conn{open: map[string]int{}}
	conns[name] = c
	return c
}
