package inplace

import (
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
)

type snapshot struct{ Seen []string }

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// mustSave ends the program where it cannot save.
func (m *snapshot) mustSave(dir string) {
	path := filepath.Join(dir, "session.gob")
	f, err := os.Create(path) // want `\(\*snapshot\)\.mustSave truncates dir/session.gob before it is written`
	if err != nil {
		fail("open %s: %v", path, err)
	}
	defer f.Close()
	err = gob.NewEncoder(f).Encode(m)
	if err != nil {
		fail("encode %s: %v", path, err)
	}
}

func (m *snapshot) mustLoad(dir string) {
	path := filepath.Join(dir, "session.gob")
	f, err := os.Open(path)
	if err != nil {
		fail("open %s: %v", path, err)
	}
	defer f.Close()
	if err := gob.NewDecoder(f).Decode(m); err != nil {
		fail("decode %s: %v", path, err)
	}
}
