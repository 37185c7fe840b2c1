package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A tree is what the files of a directory hold, by name.
type tree map[string]string

func (tr tree) write(t *testing.T, dir string) {
	t.Helper()
	for name, content := range tr {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// read is the tree in a directory, with its directories.
func read(t *testing.T, dir string) tree {
	t.Helper()
	tr := make(tree)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if !e.Type().IsRegular() {
			tr[rel] = e.Type().String()
			return nil
		}
		content, err := os.ReadFile(name)
		info, statErr := e.Info()
		tr[rel] = fmt.Sprint(info.Mode(), " ", string(content))
		return errors.Join(err, statErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// changes are what takes one tree to another. Files below "copy" are of a copy.
func changes(dir string, from, to tree) []Change {
	all := maps.Clone(from)
	maps.Copy(all, to)
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := Change{Name: filepath.Join(dir, name)}
		if old, ok := from[name]; ok {
			c.Old = []byte(old)
		}
		if now, ok := to[name]; ok {
			c.New = []byte(now)
		}
		if strings.Contains(name, "copy/") {
			c.Copy = filepath.Dir(c.Name)
		}
		if string(c.Old) != string(c.New) {
			list = append(list, c)
		}
	}
	return list
}

// situations are what Write meets.
var situations = []struct {
	name     string
	from, to tree
	prepare  func(t *testing.T, dir string)
}{
	{
		name: "a new copy",
		from: tree{"a.go": "old", "sub/b.go": "old", "gone.go": "old"},
		to:   tree{"a.go": "new", "sub/b.go": "new", "in/copy/safeio.go": "1", "in/copy/safeio_linux.go": "2"},
	},
	{
		name: "a copy that is extended",
		from: tree{"a.go": "old", "in/copy/safeio.go": "1", "in/copy/safeio_linux.go": "2", "in/copy/gone.go": "3", "in/copy/README.md": "mine"},
		to:   tree{"a.go": "new", "in/copy/safeio.go": "11", "in/copy/safeio_linux.go": "22", "in/copy/safeio_unix.go": "33", "in/copy/README.md": "mine"},
	},
	{
		name: "a copy that cannot be exchanged",
		from: tree{"a.go": "old", "in/copy/safeio.go": "1", "in/copy/safeio_linux.go": "2", "in/copy/gone.go": "3", "in/copy/data/x": "mine"},
		to:   tree{"a.go": "new", "in/copy/safeio.go": "11", "in/copy/safeio_linux.go": "22", "in/copy/safeio_unix.go": "33", "in/copy/data/x": "mine"},
	},
	{
		name: "a copy in a folder that is there",
		from: tree{"a.go": "old", "in/copy/README.md": "mine"},
		to:   tree{"a.go": "new", "in/copy/README.md": "mine", "in/copy/safeio.go": "1"},
	},
}

// TestWrite: all is written, and nothing else is left.
func TestWrite(t *testing.T) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			dir, like := t.TempDir(), t.TempDir()
			s.from.write(t, dir)
			s.to.write(t, like)
			list := changes(dir, s.from, s.to)
			written, err := Write(t.Context(), list, nil)
			if err != nil || len(written) != len(list) {
				t.Fatalf("written %v, %v", written, err)
			}
			have, want := read(t, dir), read(t, like)
			delete(have, "sub")
			delete(want, "sub")
			if !maps.Equal(have, want) {
				t.Errorf("have %v\nwant %v", have, want)
			}
		})
	}
}

// TestWriteFails: whichever step fails, or is interrupted, all is as it was.
func TestWriteFails(t *testing.T) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			for n := 0; ; n++ {
				ctx, cancel := context.WithCancel(t.Context())
				fails := func(int) error { return errors.New("no space left on device") }
				interrupts := func(int) error { cancel(); return nil }
				reached := 0
				for _, do := range []func(int) error{fails, interrupts} {
					dir := t.TempDir()
					s.from.write(t, dir)
					before := read(t, dir)
					step := -1
					written, err := Write(ctx, changes(dir, s.from, s.to), func(what string) error {
						if step++; step != n {
							return nil
						}
						reached++
						return do(n)
					})
					if err == nil {
						continue // or interrupted behind the last step
					}
					if after := read(t, dir); !maps.Equal(before, after) || len(written) > 0 {
						t.Fatalf("step %d: %v: written %v\nhave %v\nwant %v", n, err, written, after, before)
					}
				}
				cancel()
				if reached == 0 {
					if n < 4 {
						t.Errorf("%d steps", n)
					}
					return
				}
			}
		})
	}
}

// TestWriteOrder: what calls a copy changes after it has come, and where its files come
// one by one, that which says what it has comes last.
func TestWriteOrder(t *testing.T) {
	for _, s := range situations {
		dir := t.TempDir()
		s.from.write(t, dir)
		var last string
		_, err := Write(t.Context(), changes(dir, s.from, s.to), func(what string) error {
			copied, _ := os.ReadFile(filepath.Join(dir, "in/copy/safeio.go"))
			if name, ok := strings.CutPrefix(what, "commit "); ok {
				whole := string(copied) == s.to["in/copy/safeio.go"]
				if singly := strings.Contains(name, "copy"); whole == (singly && filepath.Base(name) != "gone.go") {
					t.Errorf("%s: %s, when the copy has %q", s.name, what, copied)
				}
				last = name
			}
			return nil
		})
		if err != nil || last == "" {
			t.Errorf("%s: %q, %v", s.name, last, err)
		}
	}
}

func TestWriteRefusesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	tree{"a.go": "someone else's", "b.go": "old"}.write(t, dir)
	list := changes(dir, tree{"a.go": "old", "b.go": "old"}, tree{"a.go": "new", "b.go": "new"})
	if _, err := Write(t.Context(), list, nil); !errors.Is(err, errChanged) {
		t.Errorf("err = %v", err)
	}
	if have := read(t, dir); !strings.HasSuffix(have["a.go"], "someone else's") || !strings.HasSuffix(have["b.go"], "old") {
		t.Errorf("have %v", have)
	}
}

// TestWriteMany: many files are put back, too.
func TestWriteMany(t *testing.T) {
	const files = 259
	from, to := make(tree), make(tree)
	for i := range files {
		name := fmt.Sprintf("f%03d.go", i)
		from[name], to[name] = "old", "new"
	}
	dir := t.TempDir()
	from.write(t, dir)
	before := read(t, dir)
	commits := 0
	written, err := Write(t.Context(), changes(dir, from, to), func(what string) error {
		if strings.HasPrefix(what, "commit ") {
			commits++
		}
		if commits > files-2 {
			return errors.New("no space left on device")
		}
		return nil
	})
	if after := read(t, dir); err == nil || len(written) > 0 || !maps.Equal(before, after) {
		t.Errorf("written %v, %v", written, err)
	}
}

// TestSweep: what a run that was killed has left goes, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	tree{"in/.lockvet-1.tmp/safeio.go": "1", "in/.lockvet-mine/x": "2", "in/.lockvet-2.tmp": "a file", "in/copy/safeio.go": "3"}.write(t, dir)
	Sweep(filepath.Join(dir, "in/copy"))
	have := read(t, dir)
	if have["in/.lockvet-1.tmp"] != "" || have["in/.lockvet-mine"] == "" || have["in/.lockvet-2.tmp"] == "" || have["in/copy/safeio.go"] == "" {
		t.Errorf("have %v", have)
	}
}
