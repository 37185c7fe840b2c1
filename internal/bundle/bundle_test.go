package bundle

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "copy the source of safeio anew")

// The copy that is embedded is the source of safeio, file for file.
func TestSafeio(t *testing.T) {
	origin, err := filepath.Glob("../../safeio/*.go")
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string][]byte)
	for _, name := range origin {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		header := Header + "from " + ImportPath + HeaderEnd
		want[filepath.Join("safeio", filepath.Base(name))] = append([]byte(header+"\n"), src...)
	}
	if want[filepath.Join("safeio", "doc.go")] == nil {
		t.Fatalf("no source among %d files", len(origin))
	}
	have, err := filepath.Glob("safeio/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range have {
		if want[name] == nil {
			replaceSource(t, name, nil)
		}
	}
	for name, src := range want {
		old, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(old, src) {
			replaceSource(t, name, src)
		}
	}
}

// replaceSource makes src the content of a file, nil takes it away; without -update
// it only complains.
func replaceSource(t *testing.T, name string, src []byte) {
	t.Helper()
	var err error
	switch {
	case !*update:
		t.Errorf("%s is not what safeio has: go test ./internal/bundle -run TestSafeio -update", name)
	case src == nil:
		err = os.Remove(name)
	default:
		err = os.WriteFile(name, src, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}
