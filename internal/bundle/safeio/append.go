package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
)

// Append adds record to the named file as a line, which is whole and durable if the error is nil. It takes the lock of
// the file. If a writer has died in the middle of a line, that is ended with CAN (0x18), or if it is JSON and whole, as
// it is. After an error that matches ErrPublished the record is in the file, after any other it is not, or a part of
// it that the next Append ends. In the module those who wait in one process share a sync, and Records reads the file.
func Append(name string, record []byte, perm os.FileMode) error {
	return AppendContext(context.Background(), name, record, perm)
}

// AppendContext is Append that does not wait any longer for the lock when ctx is done.
func AppendContext(ctx context.Context, name string, record []byte, perm os.FileMode) error {
	if bytes.IndexByte(record, '\n') >= 0 || bytes.HasSuffix(record, []byte{torn}) {
		return &os.PathError{Op: "append", Path: name, Err: os.ErrInvalid}
	}
	t, err := locate(name)
	if err != nil {
		return err
	}
	if !t.special {
		held, err := LockContext(ctx, t.path)
		if err != nil {
			return err
		}
		defer held.Unlock()
	}
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	if t.special {
		_, err = f.Write(append(record[:len(record):len(record)], '\n'))
		return err
	}
	return t.appendTo(f, record)
}

const torn = 0x18 // ends the line of a torn record

// appendTo makes the name of an empty file durable first: whoever finds a record need not ask.
func (t target) appendTo(f *os.File, record []byte) error {
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		err = syncDir(t.dir, syncFile)
	}
	if err != nil {
		return err
	}
	line, err := endOfLine(f, info.Size())
	if err != nil {
		return err
	}
	if _, err := f.Write(append(append(line, record...), '\n')); err != nil {
		os.Truncate(t.path, info.Size())
		return err
	}
	if err := syncFile(f); err != nil {
		return fmt.Errorf("%w: %v", ErrPublished, err)
	}
	return nil
}

// endOfLine is what ends the last line of a file, if it has no newline.
func endOfLine(f *os.File, size int64) ([]byte, error) {
	start := size - 1<<20
	if start < 0 {
		start = 0
	}
	if last := make([]byte, 1); size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil || last[0] == '\n' {
			return nil, err
		}
	}
	tail := make([]byte, size-start)
	if _, err := f.ReadAt(tail, start); err != nil {
		return nil, err
	}
	line := tail[bytes.LastIndexByte(tail, '\n')+1:]
	switch {
	case len(line) == 0:
		return nil, nil
	case (line[0] == '{' || line[0] == '[') && json.Valid(line):
		return []byte{'\n'}, nil
	}
	return []byte{torn, '\n'}, nil
}
