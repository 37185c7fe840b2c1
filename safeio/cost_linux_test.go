package safeio

import (
	"path/filepath"
	"testing"
)

// TestAllocations holds what the calls allocate: package syscall copies each name
// that it is given, and there is one piece of memory beside.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates, too")
	}
	name := filepath.Join(t.TempDir(), "state")
	data := []byte("content")
	for _, test := range []struct {
		what string
		most float64
		do   func() error
	}{
		{"WriteFile", 10, func() error { return WriteFile(name, data, 0o600) }},
		{"Lock and Unlock", 5, func() error {
			held, err := Lock(name)
			if err != nil {
				return err
			}
			return held.Unlock()
		}},
	} {
		var err error
		got := testing.AllocsPerRun(50, func() {
			if e := test.do(); e != nil {
				err = e
			}
		})
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
		if got > test.most {
			t.Errorf("%s allocates %v times, want at most %v", test.what, got, test.most)
		}
	}
}
