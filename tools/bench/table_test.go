package main

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 100, 2}, 3},
	} {
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

// A round in which the machine was four times as slow must not move a ratio.
func TestSummarizeRatiosInsideRounds(t *testing.T) {
	floor := []cost{{10 * time.Second, 100}, {40 * time.Second, 100}, {10 * time.Second, 200}}
	costs := []cost{{11 * time.Second, 130}, {44 * time.Second, 120}, {11 * time.Second, 220}}
	got := summarize(costs, floor)
	want := row{cpu: 11 * time.Second, peak: 130, cpuRatio: 1.1, peakRatio: 1.2}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWriteTable(t *testing.T) {
	contestants := []contestant{
		{name: "no-op"},
		{name: "lockvet", bounds: bounds{cpu: 1.15, peak: 1.3}},
	}
	floor := []cost{{100 * time.Second, 200 << 20}}
	slow := []cost{{120 * time.Second, 250 << 20}}
	var b strings.Builder
	if err := writeTable(&b, contestants, samples{cold: {floor, slow}, warm: {floor, slow}}); err != nil {
		t.Fatal(err)
	}
	want := `
                     cpu         ratio    peak        ratio
  cold    no-op  100.0 s          1.00  200 MB         1.00
  cold  lockvet  120.0 s  1.20 > 1.15!  250 MB  1.25 ≤ 1.30
  warm    no-op  100.0 s          1.00  200 MB         1.00
  warm  lockvet  120.0 s          1.20  250 MB         1.25
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got%swant%s", got, want)
	}
}
