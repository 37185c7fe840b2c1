package rewrite

import "testing"

func TestStale(t *testing.T) {
	for comment, want := range map[string]bool{
		"write to a temporary file first":          true,
		"hold the flock":                           true,
		"tidy up":                                  true,
		"nolint:errcheck":                          true,
		"#nosec G304 -- a path of ours":            true,
		"":                                         false,
		"the name is known":                        false,
		"the rename is atomic":                     false,
		"TODO: fsync":                              false,
		"rename it, see issue #12":                 false,
		"the temporary file has 0600":              false,
		"rename it\n\nreaders\nmay come":           false,
		"a temporary file, since a token is in it": false,
		"a temp file, so that a reader never meets a half-written session": false,
	} {
		if Stale(comment) != want {
			t.Errorf("%q: stale is %v", comment, !want)
		}
	}
}
