package directive

import "testing"

// TestUnasked: of each comment what is left, or that all of it stays.
func TestUnasked(t *testing.T) {
	const all = "all of it"
	for comment, want := range map[string]string{
		"//nolint:gosec // G306: settings are no secret": "",
		"//nolint:gosec":                        "",
		"// #nosec G304 G306 -- a path of ours": "",
		"//#nosec":                              "",
		"// #nosec":                             "",
		"// #nosec G306 -- git hooks must be executable":   "// git hooks must be executable",
		"//nolint:gosec // G306: it needs to be read":      "// it needs to be read",
		"//nolint:gosec,errcheck // G306":                  "//nolint:errcheck",
		"//nolint: errcheck, gosec":                        "//nolint: errcheck",
		"//nolint:errcheck,gosec,forbidigo // best effort": "//nolint:errcheck,forbidigo // best effort",
		"//nolint:errcheck // gosec":                       all,
		"//nolint":                                         all,
		"// #nosec G115 G306":                              all,
		"// the mode is kept, see #nosec":                  all,
		"//nolint:gosec // G204: a command":                all,
		"//nolint:gosec,errcheck // G204: a command":       all,
		"//nolint:gosecure // G306 is not known":           all,
	} {
		left, ok := Unasked(comment)
		if !ok {
			left = all
		}
		if left != want {
			t.Errorf("of %q stays %q, want %q", comment, left, want)
		}
	}
}
