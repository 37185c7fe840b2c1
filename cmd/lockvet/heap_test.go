package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPaceOfTheCollector(t *testing.T) {
	share := func(over, under int) pace {
		return pace{goal: 1 << 30, share: func(inUse uint64) (int, int) {
			if inUse == 0 {
				t.Error("it is asked for a share of nothing")
			}
			return over, under
		}}
	}
	for _, c := range []struct {
		name    string
		pace    pace
		percent uint64
	}{
		{"its own", share(1, 1), 70},
		{"half of it", share(1, 2), 35},
		{"three times as much", share(3, 1), 210},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
			defer debug.SetGCPercent(debug.SetGCPercent(70))
			defer c.pace.keep()()
			if percent, limit := collector(); percent != math.MaxUint64 || limit != 1<<30 {
				t.Errorf("the collector is set to %d percent, limit %d; it should wait for the limit 1<<30", percent, limit)
			}
			for range 1000 {
				runtime.GC()
				if percent, limit := collector(); percent == c.percent && limit == math.MaxInt64 {
					return
				}
				time.Sleep(time.Millisecond)
			}
			percent, limit := collector()
			t.Errorf("after a collection the collector is set to %d percent, limit %d; want %d", percent, limit, c.percent)
		})
	}
}

// TestPaces looks at what is let grow while little, and while much, is in use.
func TestPaces(t *testing.T) {
	for _, c := range []struct {
		name         string
		pace         pace
		small, large float64
	}{
		{"a package", ofVettool, 1, 0.5},
		{"a module", ofModule, 3, 1},
	} {
		share := func(inUse uint64) float64 {
			over, under := c.pace.share(inUse)
			return float64(over) / float64(under)
		}
		if got := share(16 << 20); got != c.small {
			t.Errorf("%s with little in use lets grow %g times that, want %g", c.name, got, c.small)
		}
		if got := share(4 << 30); got != c.large {
			t.Errorf("%s with much in use lets grow %g times that, want %g", c.name, got, c.large)
		}
	}
}

func TestPaceOfTheUser(t *testing.T) {
	for _, env := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(env, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(env, "200")
			before, limitBefore := collector()
			ofModule.keep()
			if percent, limit := collector(); percent != before || limit != limitBefore {
				t.Errorf("the collector is set to %d percent, limit %d; want %d, %d", percent, limit, before, limitBefore)
			}
		})
	}
}

// collector is how the garbage collector is set; its percentage is that of
// math.MaxUint64 where it waits for the limit.
func collector() (percent, limit uint64) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

// TestRoomOfAModule wants no larger module to have less room than a smaller one.
func TestRoomOfAModule(t *testing.T) {
	before := 0
	for inUse := 32; inUse <= 4096; inUse += 32 {
		over, under := ofModule.share(uint64(inUse) << 20)
		room := inUse * over / under
		if room < before {
			t.Errorf("with %d MB in use %d MB of garbage are let grow, with less in use %d MB", inUse, room, before)
		}
		before = room
	}
}
