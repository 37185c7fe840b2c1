package session

import (
	"path/filepath"
	"testing"
)

// Each harness saves a session twice and loads it.
func TestSaveAndOpen(t *testing.T) {
	for _, app := range []string{"image", "audio", "video", "diagram", "document"} {
		t.Run(app, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.json")
			s, err := Open(app, path)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s.Record("crop", []float64{1, 2, 3})
				if err := s.Save(path); err != nil {
					t.Fatal(err)
				}
			}
			again, err := Open(app, path)
			if err != nil {
				t.Fatal(err)
			}
			if len(again.Undo) != 2 {
				t.Errorf("%d steps can be undone, want 2", len(again.Undo))
			}
		})
	}
}
