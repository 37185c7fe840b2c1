// Package sync syncs files whose end is still in memory.
package sync

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
)

type segment struct {
	out    *os.File
	zipped *gzip.Writer
	w      io.Writer
	dir    string
}

func (s *segment) open(name string, level int) error {
	var err error
	s.out, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	s.zipped, _ = gzip.NewWriterLevel(s.out, level)
	s.w = s.zipped
	return nil
}

// finish closes the compressor behind the sync.
func (s *segment) finish() error {
	if s.out == nil {
		return nil
	}

	// On disk before it gets its name.
	s.out.Sync() // want `\(\*segment\)\.finish syncs s\.out before s\.zipped is flushed`
	if s.zipped != nil {
		s.zipped.Close()
	}
	s.out.Close()
	return os.Link(s.out.Name(), filepath.Join(s.dir, "done"))
}

// flush is in order.
func (s *segment) flush() error {
	if err := s.zipped.Flush(); err != nil {
		return err
	}
	return s.out.Sync()
}

// export syncs, flushes and closes.
func export(path string, lines []string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, l := range lines {
		w.WriteString(l)
	}
	if err := f.Sync(); err != nil { // want `export syncs path before the bufio writer is flushed`
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return nil
}

// deferred flushes when all else is over.
func deferred(path string, lines []string) (int, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	for _, l := range lines {
		w.WriteString(l)
	}
	if err := f.Sync(); err != nil { // want `deferred syncs path before the bufio writer is flushed`
		return 0, err
	}
	return len(lines), nil
}

// twice is in order: the deferred flush finds nothing.
func twice(path string, lines []string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	for _, l := range lines {
		w.WriteString(l)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}
