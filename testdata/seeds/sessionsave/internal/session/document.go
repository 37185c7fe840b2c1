package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
)

// saveDocument stores the session of the word processor. Several windows
// share one document, so the file is locked while it is written.
func saveDocument(path string, s *Session) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save document session: %w", err)
	}
	defer f.Close()

	w := bufio.NewWriterSize(f, 64<<10)
	defer w.Flush()

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock document session: %w", err)
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)

	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// LoadShared reads a session that other windows may be saving: it waits for
// the lock of the file.
func LoadShared(path string) (*Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		return nil, fmt.Errorf("lock document session: %w", err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return decode(path, data)
}
