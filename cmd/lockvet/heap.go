package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A pace says how much garbage is let grow: none is collected up to a first goal, and
// from then on as much as is in use, or a share of that.
type pace struct {
	goal  int64 // bytes
	share func(inUse uint64) (over, under int)
}

// ofVettool is the pace of a process for one package. Most need less than the goal,
// and end before a collection would pay. From 100 MB in use on half as much garbage
// is let grow as otherwise: few packages are that large, and with Go's own pace they
// would take half as much again as it takes to type-check them.
var ofVettool = pace{goal: 32 << 20, share: func(inUse uint64) (int, int) {
	if inUse > 100<<20 {
		return 1, 2
	}
	return 1, 1
}}

// ofModule is the pace of a process for all packages of a module: what it keeps of
// them is found again by each collection, so that a module of usual size gets more
// room, and a large one no less than the largest of those, until it has that of other Go
// programs.
var ofModule = pace{goal: 192 << 20, share: func(inUse uint64) (int, int) {
	const usual = 256
	switch inUse >>= 20; {
	case inUse > 3*usual:
		return 1, 1
	case inUse > usual:
		return 3 * usual, int(inUse)
	}
	return 3, 1
}}

// keep sets the garbage collector to the pace. It does nothing where the user has set
// one. It does so until stop is called.
func (p pace) keep() (stop func()) {
	var stopped atomic.Bool
	stop = func() { stopped.Store(true) }
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return stop
	}
	percent := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(p.goal)
	onCollection(func() bool {
		if stopped.Load() {
			return false
		}
		debug.SetMemoryLimit(math.MaxInt64)
		over, under := p.share(inUse())
		debug.SetGCPercent(percent * over / under)
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
