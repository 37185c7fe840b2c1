// Package objects writes files by objects of its own, which have them open.
package objects

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
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

type osFile interface {
	io.WriteCloser
	Sync() error
}

func (s *store) fresh(name string) (osFile, error) {
	return os.OpenFile(filepath.Join(s.root, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// turn hands on the error of what has opened the file, and not what has it open.
func (s *store) turn(r io.Reader, n string) error {
	f, err := s.fresh("turn.json." + n)
	if err != nil {
		return wrap(err, "turn")
	}
	if _, err := io.Copy(f, r); err != nil {
		return wrap(err, "turn")
	}
	if err := f.Close(); err != nil {
		return wrap(err, "turn")
	}
	return s.move("turn.json."+n, "turn.json") // want `turn renames a file over s.root/turn.json that was never synced`
}

func wrap(err error, text string) error { return fmt.Errorf("%s: %w", text, err) }

func (s *store) turned() (*state, error) {
	data, err := os.ReadFile(filepath.Join(s.root, "turn.json"))
	if err != nil {
		return nil, err
	}
	st := &state{}
	return st, json.Unmarshal(data, st)
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
