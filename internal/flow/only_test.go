package flow_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An edge of SSA.
var edge = regexp.MustCompile(`\.(Succs|Preds)\b|\.Referrers\(|\.Operands\(`)

// TestOnlyHere checks that nothing else in the repository follows the edges of SSA.
func TestOnlyHere(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || filepath.Dir(path) == filepath.Join(root, "internal", "flow"):
			return nil
		case path == filepath.Join(root, "fixes", "prove", "ways.go"):
			return nil // its graph is one of the syntax
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			if edge.MatchString(strings.ReplaceAll(line, "flow.Operands(", "")) {
				t.Errorf("%s:%d: %s", path, n+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
}
