// Package objects writes files by objects of its own, which have them open.
package objects

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// A Writer is what others see of them.
type Writer interface {
	io.WriteCloser
	Commit(ctx context.Context) error
}

type fileWriter struct {
	file *os.File
	bw   *bufio.Writer
}

func (w *fileWriter) Write(p []byte) (int, error)  { return w.bw.Write(p) }
func (w *fileWriter) Close() error                 { return w.file.Close() }
func (w *fileWriter) Commit(context.Context) error { return w.bw.Flush() }

func newFileWriter(f *os.File) *fileWriter { return &fileWriter{file: f, bw: bufio.NewWriter(f)} }

type store struct{ root string }

func (s *store) writer(name string) (Writer, error) {
	f, err := os.OpenFile(filepath.Join(s.root, name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	return newFileWriter(f), nil
}

func (s *store) create(name string) (*fileWriter, error) {
	f, err := os.Create(filepath.Join(s.root, name)) // want `create truncates s.root/state.json before it is written`
	if err != nil {
		return nil, err
	}
	return newFileWriter(f), nil
}

func (s *store) move(from, to string) error {
	return os.Rename(filepath.Join(s.root, from), filepath.Join(s.root, to))
}

type state struct{ Turns []string }

func (s *store) load() (*state, error) {
	data, err := os.ReadFile(filepath.Join(s.root, "state.json"))
	if err != nil {
		return nil, err
	}
	st := &state{}
	return st, json.Unmarshal(data, st)
}

func (s *store) save(ctx context.Context, r io.Reader) error {
	w, err := s.create("state.json")
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// publish has a name that every writer shares.
func (s *store) publish(ctx context.Context, r io.Reader) error {
	w, err := s.writer("index.json.tmp")
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	return s.move("index.json.tmp", "index.json") // want `publish writes s.root/index.json through s.root/index.json.tmp, a name that every writer shares`
}

func (s *store) index() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(s.root, "index.json"))
	if err != nil {
		return nil, err
	}
	var names []string
	return names, json.Unmarshal(data, &names)
}

// mark makes a file whose existence is all that counts.
func (s *store) mark() error {
	w, err := s.create("marked.json")
	if err != nil {
		return err
	}
	return w.Close()
}

func (s *store) marks() bool {
	_, err := os.ReadFile(filepath.Join(s.root, "marked.json"))
	return err == nil
}
