package supply

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestLinting reads what configurations of both versions say of imports.
func TestLinting(t *testing.T) {
	for _, test := range []struct {
		name, config, local string
		denied              []string
	}{
		{"none", "", "", nil},
		{"broken", "linters: [", "", nil},
		{"gci", "linters-settings:\n  gci:\n    sections: [standard, prefix(example.com/m), default]\n", "example.com/m", nil},
		{"gci, own order", "formatters:\n  settings:\n    gci:\n      custom-order: true\n      sections: [standard, prefix(example.com/m), default]\n", "", nil},
		{"gci, own order, behind", "formatters:\n  settings:\n    gci:\n      custom-order: true\n      sections: [standard, default, localmodule]\n", "example.com/m", nil},
		{"gci, another", "formatters:\n  settings:\n    gci:\n      sections: [standard, default, prefix(example.com/other)]\n", "", nil},
		{"goimports", "linters-settings:\n  goimports:\n    local-prefixes: example.org/x, example.com/m\n", "example.com/m", nil},
		{"goimports, list", "formatters:\n  settings:\n    goimports:\n      local-prefixes:\n        - example.com\n", "example.com", nil},
		{"depguard", "linters:\n  settings:\n    depguard:\n      rules:\n        all:\n          deny:\n            - pkg: example.com/m/internal\n              desc: no\n", "", []string{"example.com/m/internal"}},
	} {
		dir := t.TempDir()
		if test.config != "" {
			if err := os.WriteFile(filepath.Join(dir, ".golangci.yml"), []byte(test.config), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Local(&packages.Module{Path: "example.com/m", Dir: dir}); got != test.local {
			t.Errorf("%s: %q stand apart, want %q", test.name, got, test.local)
		}
		if got := readLinting(dir).denied(); !slices.Equal(got, test.denied) {
			t.Errorf("%s: denied %q, want %q", test.name, got, test.denied)
		}
	}
}
