package held

import (
	"fmt"
	"os"
	"sync"
)

// A chunk keeps its file open, and everybody has its mutex who writes.
type chunk struct {
	mu   sync.Mutex
	name string
	fd   *os.File
	data []byte
}

func openChunk(dir string, i int) (*chunk, error) {
	c := &chunk{name: fmt.Sprintf("%s/%d.chunk", dir, i)}
	return c, c.reopen()
}

// reopen opens the file, which nobody else has.
func (c *chunk) reopen() (err error) {
	c.fd, err = os.OpenFile(c.name, os.O_RDWR|os.O_CREATE, 0o600)
	return err
}

func (c *chunk) Compact() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data = c.data[:len(c.data)/2]
	c.fd.Close()
	defer c.reopen()
	return c.overwrite()
}

// overwrite wants the lock to be held.
func (c *chunk) overwrite() error {
	tmp := c.name + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(c.data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, c.name)
}

// A slab opens its file for a while only: another process may do so, too.
type slab struct {
	mu   sync.Mutex
	name string
	data []byte
}

func openSlab(dir string, i int) (s *slab, err error) {
	s = &slab{name: fmt.Sprintf("%s/%d.slab", dir, i)}
	s.data, err = os.ReadFile(s.name)
	return s, err
}

func (s *slab) Compact() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = s.data[:len(s.data)/2]
	return s.overwrite()
}

func (s *slab) overwrite() error {
	tmp := s.name + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // want `\(\*slab\).overwrite writes s.name through s.name.tmp, a name that every writer shares`
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(s.data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, s.name)
}
