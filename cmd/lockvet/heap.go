package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstGoal is the memory up to which a vettool collects no garbage: most
// packages need less, and their process ends before a collection would pay.
const firstGoal = 64 << 20

// laterPercent is the pace of the collector from then on: for each byte that is in
// use, half a one of garbage. What a check allocates dies young, and at Go's own pace
// of 100 the largest packages would take half as much memory again as it takes to
// type-check them.
const laterPercent = 50

// growFirst keeps the garbage collector from starting until the process has
// grown to the goal, and sets its pace from then on. It does nothing where the
// user has set a pace.
func growFirst(goal int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(goal)
	runtime.SetFinalizer(&[16]byte{}, func(*[16]byte) { // the first collection finds it
		debug.SetGCPercent(laterPercent)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
