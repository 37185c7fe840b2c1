package busy

import (
	"path/filepath"
	"testing"
)

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	content := make([]byte, 1<<10)
	for range 3000 {
		for _, name := range []string{"a.json", "b.json"} {
			path := filepath.Join(dir, name)
			if err := Save(path, content); err != nil {
				t.Fatal(err)
			}
			if err := Append(path, content[:10]); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
