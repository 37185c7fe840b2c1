package conversation

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// readRecords returns the records in the file at path; none when there is no file.
func readRecords(path string) ([]record, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var records []record
	lines := json.NewDecoder(bufio.NewReader(f))
	for {
		var r record
		err := lines.Decode(&r)
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err == nil && r.Role == roleMessage && r.Message == nil {
			err = errors.New("message record without a message")
		}
		if err != nil {
			return nil, fmt.Errorf("read %s, record %d: %w", path, len(records)+1, err)
		}
		records = append(records, r)
	}
}

// rotate moves the file aside, under a name with the time. The caller has the conversation.
func (c *Context) rotate() error {
	err := os.Rename(c.path, fmt.Sprintf("%s.%d", c.path, time.Now().UnixNano()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
