package safeio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// ErrTorn marks what [Records] reports of a record that was cut short, because
// its writer died or its disk failed. No Append of it has returned nil.
var ErrTorn = errors.New("torn record")

// A TornError is a record that was cut short. It matches [ErrTorn].
type TornError struct {
	Line   int    // its line in the file, from 1
	Offset int64  // where that begins, in bytes
	Piece  []byte // what there is of it
}

func (e *TornError) Error() string {
	return fmt.Sprintf("line %d: %v of %d bytes at offset %d", e.Line, ErrTorn, len(e.Piece), e.Offset)
}

// Unwrap returns ErrTorn.
func (e *TornError) Unwrap() error { return ErrTorn }

// Records returns the records of a file that [Append] writes, in order and
// without their newlines. They are those that are in the file when the
// iteration begins; each iteration opens the file anew and closes it at its end.
// The bytes of a record are the caller's until the next iteration. Lines may
// have any length; one is held in memory at a time.
//
// A torn record is yielded as an error that matches [ErrTorn], with a
// [*TornError] in it, and the iteration goes on behind it. Any other error is the
// last thing yielded; for a missing file it matches [fs.ErrNotExist].
// Errors are *fs.PathError.
//
// A last line without a newline may be a record that is being written, or a torn
// one, unless it is a whole JSON object or array, which is a record. Only
// then Records acquires the lock of the file, shared, and looks again, so that no
// living writer's record is called torn; it releases the lock before it yields anything. If
// it cannot acquire the lock within two seconds (the caller may hold it), or at
// all (a file that may not be written), the piece is left out: it is no
// record yet. Otherwise Records takes no lock and waits for nobody. What Append
// has not synced yet is also read.
//
// Pipes and other special files are read to their end.
func Records(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		readLines(name, func(l line, err error) bool {
			if err == nil {
				err = l.torn(name)
			}
			if err != nil {
				return yield(nil, err)
			}
			return yield(l.data, nil)
		})
	}
}

// RecordsJSON is [Records], each decoded into a T by encoding/json. Blank
// lines are skipped. A record that cannot be decoded is yielded as a
// *fs.PathError with the line number and json's error in it, and the iteration
// goes on.
func RecordsJSON[T any](name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		readLines(name, func(l line, err error) bool {
			var v, none T
			if err == nil {
				err = l.torn(name)
			}
			if err == nil && len(bytes.TrimSpace(l.data)) == 0 {
				return true
			}
			if err == nil {
				err = l.decode(name, &v)
			}
			if err != nil {
				return yield(none, err)
			}
			return yield(v, nil)
		})
	}
}

// A line is one of a file. It has no newline, except that the last line of a
// dead writer is given as one that ends in tornMark.
type line struct {
	number int
	offset int64
	data   []byte
}

// torn returns the error that l is, or nil.
func (l line) torn(name string) error {
	if !bytes.HasSuffix(l.data, []byte{tornMark}) {
		return nil
	}
	// Who healed the line may have died too, between the mark and the newline.
	piece := bytes.TrimRight(l.data, string(rune(tornMark)))
	e := &TornError{Line: l.number, Offset: l.offset, Piece: append([]byte(nil), piece...)}
	return &fs.PathError{Op: "read", Path: name, Err: e}
}

func (l line) decode(name string, v any) error {
	if err := json.Unmarshal(l.data, v); err != nil {
		return &fs.PathError{Op: "decode", Path: name, Err: fmt.Errorf("line %d: %w", l.number, err)}
	}
	return nil
}

// readLines yields the lines of the named file. An error is the last.
func readLines(name string, yield func(line, error) bool) {
	f, err := openToRead(name)
	if err != nil {
		yield(line{}, err)
		return
	}
	defer f.Close()
	extent, err := measure(f, name)
	if err != nil {
		yield(line{}, err)
		return
	}
	in := &lineReader{r: bufio.NewReaderSize(io.LimitReader(f, extent.size), 64<<10)}
	l := line{number: 1}
	for {
		data, err := in.next()
		if err == io.EOF && len(data) > 0 && (extent.special || extent.dead && l.offset+int64(len(data)) == extent.size) {
			if !wholeJSON(data) {
				data = append(data, tornMark)
			}
			yield(line{l.number, l.offset, data}, nil)
			return
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(line{}, err)
			return
		}
		l.data = data[: len(data)-1 : len(data)-1]
		if !yield(l, nil) {
			return
		}
		l.number++
		l.offset += int64(len(data))
	}
}

// A lineReader reads lines of any length.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line that is longer than the reader's buffer
}

// next returns the next line with its newline. It is valid until the next call.
// With io.EOF it is what came after the last newline.
func (in *lineReader) next() ([]byte, error) {
	part, err := in.r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return part, err
	}
	in.long = append(in.long[:0], part...)
	for err == bufio.ErrBufferFull {
		part, err = in.r.ReadSlice('\n')
		in.long = append(in.long, part...)
	}
	return in.long, err
}

// An extent is how much of a file there is to read.
type extent struct {
	size    int64
	special bool // size is unknown
	dead    bool // the last line has no newline, and nobody is writing it
}

// measure looks how far to read f, and asks for the lock if the last line is
// not whole. What is whole stays as it is: see logfile.cut.
func measure(f *os.File, name string) (extent, error) {
	info, err := f.Stat()
	if err != nil {
		return extent{}, err
	}
	if !info.Mode().IsRegular() {
		return extent{size: 1<<63 - 1, special: true}, nil
	}
	size, whole, err := wholeLines(f)
	switch {
	case err == io.EOF: // of a file of the kernel the size says nothing
		return extent{size: 1<<63 - 1, special: true}, nil
	case err != nil || whole:
		return extent{size: size}, err
	}
	unlock, err := awaitWriter(f, name)
	if err != nil {
		return extent{size: size}, nil
	}
	defer unlock()
	size, whole, err = wholeLines(f)
	return extent{size: size, dead: !whole}, err
}

// wholeLines returns the size of f and whether it ends in a newline or is empty. The
// error is io.EOF if it has another end than that size.
func wholeLines(f *os.File) (size int64, whole bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, true, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	if err == io.EOF {
		if now, err := f.Stat(); err != nil || now.Size() != info.Size() { // cut in between
			return wholeLines(f)
		}
	}
	return info.Size(), last[0] == '\n', err
}

// awaitWriter takes the shared lock of the named file, which is f. It fails if
// there may be a writer nevertheless.
func awaitWriter(f *os.File, name string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	held, err := RLockContext(ctx, name)
	if err != nil {
		return nil, err
	}
	if held.itself {
		return func() { held.Unlock() }, nil
	}
	// A writer that cannot make a lock file locks f.
	again, err := openToRead(name)
	if err != nil {
		held.Unlock()
		return nil, err
	}
	if err := lockWithin(again, lockPatience); errors.Is(err, errLocked) {
		again.Close()
		held.Unlock()
		return nil, err
	}
	return func() { again.Close(); held.Unlock() }, nil
}
