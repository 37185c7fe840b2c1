// Package variable keeps its state in variables, beside the mutex that guards
// them.
package variable

import (
	"context"
	"encoding/json"
	"os"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

var (
	mu       sync.Mutex
	sessions = map[string]int{}
	order    []string
	current  string
)

var gate = make(chan struct{}, 1)

// drafts are guarded by gate.
var drafts = map[string]string{}

const file = "/var/lib/agentd/sessions.json"

func load() error {
	mu.Lock()
	defer mu.Unlock()
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &sessions)
}

// Put is the ordinary way.
func Put(id string, n int) error {
	mu.Lock()
	defer mu.Unlock()
	sessions[id] = n
	order = append(order, id)
	current = id
	return save()
}

// Get looks.
func Get(id string) int {
	mu.Lock()
	defer mu.Unlock()
	if len(order) == 0 {
		return 0
	}
	return sessions[id]
}

// save is called with the mutex held.
func save() error {
	data, err := json.Marshal(sessions)
	if err != nil {
		return err
	}
	return safeio.WriteFile(file, data, 0o600)
}

// Add changes the map before it has the mutex.
func Add(id string, n int) error {
	sessions[id] = n // want `Add changes sessions before it takes mu`
	mu.Lock()
	defer mu.Unlock()
	return save()
}

// Drop changes the list when it has it no more.
func Drop(id string) error {
	mu.Lock()
	delete(sessions, id)
	err := save()
	mu.Unlock()
	order = nil // want `Drop changes order after it has released mu`
	return err
}

// Forget leaves the change to a helper.
func Forget(id string) error {
	remove(id) // want `Forget changes sessions, in remove, before it takes mu`
	mu.Lock()
	defer mu.Unlock()
	return save()
}

func remove(id string) { delete(sessions, id) }

// Last is right to take it.
func Last() string {
	mu.Lock()
	defer mu.Unlock()
	return current
}

// enter waits for the gate.
func enter(ctx context.Context) error {
	select {
	case gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func leave() { <-gate }

// Draft is the ordinary way.
func Draft(ctx context.Context, id, text string) error {
	if err := enter(ctx); err != nil {
		return err
	}
	defer leave()
	drafts[id] = text
	return store()
}

// Scrap looks first.
func Scrap(ctx context.Context, id string) error {
	if err := enter(ctx); err != nil {
		return err
	}
	defer leave()
	if _, ok := drafts[id]; !ok {
		return nil
	}
	delete(drafts, id)
	return store()
}

func store() error {
	data, err := json.Marshal(drafts)
	if err != nil {
		return err
	}
	return safeio.WriteFile("/var/lib/agentd/drafts.json", data, 0o600)
}

// Redraft changes what may never be saved.
func Redraft(ctx context.Context, id, text string) error {
	drafts[id] = text // want `Redraft changes drafts before it waits for gate: if the wait is given up here`
	if err := enter(ctx); err != nil {
		return err
	}
	defer leave()
	return store()
}

// table is guarded by tableMu.
var table = map[string]int{}

var tableMu sync.Mutex

// Enter is the only one that has the mutex, and the comment is enough.
func Enter(id string) error {
	table[id]++ // want `Enter changes table before it takes tableMu`
	tableMu.Lock()
	defer tableMu.Unlock()
	data, err := json.Marshal(table)
	if err != nil {
		return err
	}
	return safeio.WriteFile("/var/lib/agentd/table.json", data, 0o600)
}
