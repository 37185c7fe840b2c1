package quiet

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The user says which file is made.
func (s *Files) Import(data []byte) error {
	path := filepath.Join(s.dir, os.Args[1])
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already", path)
	}
	return os.WriteFile(path, data, 0o600)
}

// A name that nobody else has is free.
func (s *Files) Add(name string, data []byte) error {
	path := filepath.Join(s.dir, name+strconv.FormatInt(time.Now().UnixNano(), 36))
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already", path)
	}
	return os.WriteFile(path, data, 0o600)
}
