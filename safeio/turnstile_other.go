//go:build !linux

package safeio

// Here the order is the system's.

func (f lockFile) awaited() bool { return false }

func (f lockFile) enterTurnstile() error { return nil }

func (f lockFile) reenterTurnstile() {}

func (f lockFile) leaveTurnstile() {}
