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

// growFirst keeps the garbage collector from starting until the process has
// grown to the goal, and leaves it to its own pace from then on. It does nothing
// where the user has set a pace.
func growFirst(goal int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(goal)
	runtime.SetFinalizer(&[16]byte{}, func(*[16]byte) { // the first collection finds it
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
