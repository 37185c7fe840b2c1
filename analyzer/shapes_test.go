package analyzer_test

// shapes are programs that walk the pipeline's side roads: recursion, loops
// that feed themselves, generics, methods as values, labels, and ways to write
// a file that no fixture has a reason to have.
var shapes = []string{`package p

import "os"

var path = "state.json"

func a(n int, b []byte) error {
	if n == 0 {
		return os.WriteFile(path, b, 0o600)
	}
	return c(n-1, b)
}

func c(n int, b []byte) error { return a(n-1, b) }
`, `package p

import (
	"encoding/json"
	"os"
)

func save(v any) (err error) {
	dir := "."
	for i := 0; i < 3; i++ {
		dir = dir + "/" + dir
	}
	b, _ := json.Marshal(v)
loop:
	for {
		switch {
		case len(b) == 0:
			continue loop
		case len(b) > 9:
			break loop
		default:
			goto out
		}
	}
out:
	return os.WriteFile(dir+"/config.json", b, 0o600)
}
`, `package p

import (
	"encoding/json"
	"io"
	"os"
)

type encoder[T any] interface{ encode(io.Writer, T) error }

type file[T any, E encoder[T]] struct {
	path string
	enc  E
	next *file[T, E]
}

func (f *file[T, E]) save(v T) error {
	w, err := os.Create(f.path)
	if err != nil {
		return err
	}
	defer w.Close()
	if f.next != nil {
		if err := f.next.save(v); err != nil {
			return err
		}
	}
	return f.enc.encode(w, v)
}

type plain struct{}

func (plain) encode(w io.Writer, v map[string]int) error { return json.NewEncoder(w).Encode(v) }

func saveConfig(v map[string]int) error {
	f := &file[map[string]int, plain]{path: "config.json"}
	g := f.save
	return g(v)
}
`, `package p

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type registry struct {
	*os.File
	rows []string
}

func (r registry) save() error {
	f, err := os.OpenFile("registry.json", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	r.File = f
	w := bufio.NewWriter(r.File)
	for i, row := range r.rows {
		if i%2 == 0 {
			defer fmt.Fprintln(w, row)
		}
		if _, err := w.WriteString(row); err != nil {
			return err
		}
	}
	if err := json.NewEncoder(w).Encode(r.rows); err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	return w.Flush()
}
`, `package p

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func init() { _ = saveSession("", nil) }

func saveSession(dir string, v any) (err error) {
	var f *os.File
	if f, err = os.CreateTemp(dir, "session"); err != nil {
		return
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	enc := json.NewEncoder(f)
	enc.SetIndent("", "  ")
	if err = enc.Encode(v); err != nil {
		_ = f.Close()
		return
	}
	if err = f.Close(); err != nil {
		return
	}
	return os.Rename(f.Name(), filepath.Join(dir, "session.json"))
}
`, `package p

import "os"

type op func(string, []byte, os.FileMode) error

var write op = os.WriteFile

var ops = map[string]op{"state": os.WriteFile}

func store(name string, b []byte) error {
	if err := write("state.json", b, 0o600); err != nil {
		return err
	}
	select {
	default:
		f := ops[name]
		return f("state.json", b, 0o600)
	}
}

func each(yield func(string, []byte) bool) {
	_ = yield("a", nil) && yield("b", nil)
}

func storeAll() (err error) {
	for name, b := range each {
		err = os.WriteFile(name+"/state.json", b, 0o600)
		defer os.Remove(name)
	}
	return
}
`, `package p

import (
	"encoding/json"
	. "os"
	fp "path/filepath"
)

const flags = O_CREATE | O_WRONLY | O_TRUNC

func saveIndex(dir string, v any) error {
	safeio := fp.Join(dir, "index.json")
	if f, err := OpenFile(safeio+".tmp", flags, 0o600); err != nil {
		return err
	} else if err := json.NewEncoder(f).Encode(v); err != nil {
		return err
	} else {
		defer f.Close()
	}
	return Rename(safeio+".tmp", safeio)
}
`, `package p

import (
	"encoding/json"
	"io/fs"
	"os"
	"sync"
)

type store struct {
	sync.Mutex
	name string
	mode fs.FileMode
	data map[string]json.RawMessage
}

func load(name string) (s *store, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s = &store{name: name, mode: 0o644}
	return s, json.Unmarshal(b, &s.data)
}

func (s *store) save() (err error) {
	s.Lock()
	defer s.Unlock()
	tmp, bak := s.name+".tmp", s.name+".bak"
	b, err := json.Marshal(s.data)
	switch err.(type) {
	case nil:
	case *json.MarshalerError:
		return
	default:
		panic(err)
	}
	if err = os.WriteFile(tmp, b, s.mode); err != nil {
		return
	}
	if err = os.Rename(s.name, bak); err != nil && !os.IsNotExist(err) {
		return
	}
	if err = os.Rename(tmp, s.name); err != nil {
		_ = os.Rename(bak, s.name)
	}
	return
}
`}
