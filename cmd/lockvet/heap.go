package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// firstGoal is the memory up to which a vettool collects no garbage: most
	// packages need less, and their process ends before a collection would pay.
	firstGoal = 32 << 20
	// large is the memory in use from which on half as much garbage is let grow as
	// otherwise. Few packages are that large; with Go's own pace they would take half
	// as much again as it takes to type-check them.
	large = 100 << 20
)

// growFirst keeps the garbage collector from starting until the process has
// grown to the goal, and leaves it to its own pace from then on, or to half of it
// while more than large is in use. It does nothing where the user has set a pace.
// It does so until stop is called.
func growFirst(goal, large int64) (stop func()) {
	var stopped atomic.Bool
	stop = func() { stopped.Store(true) }
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return stop
	}
	percent := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(goal)
	onCollection(func() bool {
		if stopped.Load() {
			return false
		}
		debug.SetMemoryLimit(math.MaxInt64)
		if inUse() > uint64(large) {
			debug.SetGCPercent(percent / 2)
		} else {
			debug.SetGCPercent(percent)
		}
		return true
	})
	return stop
}

// onCollection has a function called behind each garbage collection until it says no.
func onCollection(do func() bool) {
	runtime.SetFinalizer(&[16]byte{}, func(*[16]byte) { // the next collection finds it
		if do() {
			onCollection(do)
		}
	})
}

// inUse is what the last collection has found to be in use.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
