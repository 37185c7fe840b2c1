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
		{"gci, several", "linters-settings:\n  gci:\n    sections:\n      - standard\n      - prefix(example.org/x, example.com/m)\n", "example.com/m", nil},
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
		if got := Local(&packages.Module{Path: "example.com/m", Dir: dir}, true); got != test.local {
			t.Errorf("%s: %q stand apart, want %q", test.name, got, test.local)
		}
		if got := readLinting(dir).denied(); !slices.Equal(got, test.denied) {
			t.Errorf("%s: denied %q, want %q", test.name, got, test.denied)
		}
	}
}

// TestFitting: a copy goes out of what is internal only into the folder that most code is in.
func TestFitting(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"server/a.go", "server/b.go", "cmd/main.go", "scripts/sign.go", "docs/index.md"} {
		write(name)
	}
	for _, test := range []struct {
		ignore string
		want   []string
	}{
		{"*\n!cmd\n!server\n", []string{"server/safeio", "server/lockvet/safeio", "cmd/safeio", "cmd/lockvet/safeio"}},
		{"*\n!bin\n!scripts\n", nil}, // images are built of what has been built
		{"internal\n", []string{"server/safeio", "server/lockvet/safeio", "scripts/safeio", "scripts/lockvet/safeio", "cmd/safeio", "cmd/lockvet/safeio"}},
	} {
		if err := os.WriteFile(filepath.Join(dir, ".dockerignore"), []byte(test.ignore), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := fitting(dir, unfit(&packages.Module{Path: "example.com/m", Dir: dir})); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.ignore, got, test.want)
		}
	}
	for _, name := range []string{"internal/a/a.go", "internal/b/b.go", "internal/c/c.go"} {
		write(name)
	}
	if got := fitting(dir, unfit(&packages.Module{Path: "example.com/m", Dir: dir})); got != nil {
		t.Errorf("%q, where most code is in what is internal", got)
	}
}
