// Package flock stands in for the package of that name: what it locks is known
// by its import path.
package flock

type Flock struct{ path string }

func New(path string) *Flock { return &Flock{path} }

func (*Flock) Lock() error             { return nil }
func (*Flock) TryLock() (bool, error)  { return true, nil }
func (*Flock) TryRLock() (bool, error) { return true, nil }
func (*Flock) Unlock() error           { return nil }
func (f *Flock) Path() string          { return f.path }
