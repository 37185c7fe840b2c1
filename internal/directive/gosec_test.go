package directive

import "testing"

func TestUnasked(t *testing.T) {
	for comment, want := range map[string]bool{
		"//nolint:gosec // G306: settings are no secret": true,
		"//nolint:gosec":                         true,
		"// #nosec G304 G306 -- a path of ours":  true,
		"//#nosec":                               true,
		"//nolint:gosec,errcheck // G306":        false,
		"//nolint:errcheck // gosec":             false,
		"//nolint":                               false,
		"// #nosec G115 G306":                    false,
		"// the mode is kept, see #nosec":        false,
		"//nolint:gosec // G204: a command":      false,
		"//nolint:gosecure // G306 is not known": false,
	} {
		if got := Unasked(comment); got != want {
			t.Errorf("%q: unasked is %v", comment, got)
		}
	}
}

func TestReason(t *testing.T) {
	for comment, want := range map[string]string{
		"// #nosec G306 -- git hooks must be executable": "// git hooks must be executable",
		"//nolint:gosec // G306: it needs to be read":    "// it needs to be read",
		"//nolint:gosec // G306: settings are no secret": "",
		"// #nosec": "",
	} {
		if got := Reason(comment); got != want {
			t.Errorf("of %q stays %q", comment, got)
		}
	}
}
