package main

import (
	"testing"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

func TestStyleOn(t *testing.T) {
	for _, c := range []struct {
		terminal, timeline bool
		env                map[string]string
		want               report.Style
	}{
		{false, false, nil, report.Style{}},
		{false, true, nil, report.Style{Timeline: true}},
		{true, false, nil, report.Style{Timeline: true, Color: true}},
		{true, false, map[string]string{"NO_COLOR": "1"}, report.Style{Timeline: true}},
		{true, false, map[string]string{"TERM": "dumb"}, report.Style{Timeline: true}},
	} {
		env := func(name string) string { return c.env[name] }
		if got := styleOn(c.terminal, c.timeline, env); got != c.want {
			t.Errorf("terminal %v, -explain %v, %v: %+v, want %+v", c.terminal, c.timeline, c.env, got, c.want)
		}
	}
}

// TestPatchOn: a patch is printable on a terminal, and exact elsewhere.
func TestPatchOn(t *testing.T) {
	patch := []byte("-\ta // \x1b[8m hidden\r\n+\tb\n")
	if got := string(patchOn(true, patch)); got != "-\ta // ␛[8m hidden␍\n+\tb\n" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := patchOn(false, patch); string(got) != string(patch) {
		t.Errorf("elsewhere: %q", got)
	}
}
