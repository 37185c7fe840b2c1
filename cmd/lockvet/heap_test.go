package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGrowFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		large   int64
		percent uint64
	}{
		{"its own pace", math.MaxInt64, 70},
		{"half of it for what is large", 1, 35},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
			defer debug.SetGCPercent(debug.SetGCPercent(70))
			defer growFirst(1<<30, c.large)()
			if percent, limit := pace(); percent != math.MaxUint64 || limit != 1<<30 {
				t.Errorf("the collector is set to %d percent, limit %d; it should wait for the limit 1<<30", percent, limit)
			}
			for range 1000 {
				runtime.GC()
				if percent, limit := pace(); percent == c.percent && limit == math.MaxInt64 {
					return
				}
				time.Sleep(time.Millisecond)
			}
			percent, limit := pace()
			t.Errorf("after a collection the collector is set to %d percent, limit %d; want %d", percent, limit, c.percent)
		})
	}
}

func TestGrowFirstLeavesThePaceOfTheUser(t *testing.T) {
	for _, env := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(env, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(env, "200")
			before, limitBefore := pace()
			growFirst(1<<30, 1)
			if percent, limit := pace(); percent != before || limit != limitBefore {
				t.Errorf("the collector is set to %d percent, limit %d; want %d, %d", percent, limit, before, limitBefore)
			}
		})
	}
}

// pace is how the garbage collector is set; its percentage is that of
// math.MaxUint64 where it waits for the limit.
func pace() (percent, limit uint64) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}
