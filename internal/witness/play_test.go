package witness

import "testing"

// TestBetter: the load of the machine does not choose between tests that take less than a second.
func TestBetter(t *testing.T) {
	of := func(test string, seconds float64) plan { return plan{test: test, seconds: seconds, anchor: &op{}} }
	for _, c := range []struct{ first, second plan }{
		{of("TestA", 0.9), of("TestB", 0.1)},
		{of("TestB", 0.1), of("TestA", 1.1)},
	} {
		if c.first.better(c.second) >= 0 || c.second.better(c.first) <= 0 {
			t.Errorf("%s (%v s) does not come before %s (%v s)", c.first.test, c.first.seconds, c.second.test, c.second.seconds)
		}
	}
}
