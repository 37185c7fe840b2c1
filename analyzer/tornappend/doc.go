// Package tornappend defines the check for records that are appended to a
// shared file in pieces.
//
// # tornappend
//
// A file that is opened with O_APPEND takes each write at its end, whole, however
// many processes append to it. That holds for one write. A record that is
// written by two leaves room between them: another process or goroutine appends
// there, and two records share a line; a crash there leaves half a record, and
// the next one continues its line. A buffered writer writes when its buffer is
// full, wherever a record ends.
//
// WRONG:
//
//	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	data, err := json.Marshal(event)
//	if err != nil {
//		return err
//	}
//	if _, err := f.Write(data); err != nil {
//		return err
//	}
//	_, err = f.Write([]byte("\n"))
//	return err
//
// RIGHT:
//
//	data, err := json.Marshal(event)
//	if err != nil {
//		return err
//	}
//	return safeio.Append(path, data, 0o600)
//
// Variants, each a diagnostic category of its own:
//
//   - tornappend/separator: the newline that ends the record is written by a call
//     of its own.
//   - tornappend/split: one line is written piece by piece.
//   - tornappend/buffered: what is appended goes through a bufio, csv or gzip
//     writer, that cuts records at the end of its buffer.
//
// One call of fmt.Fprintf or Fprintln, of a json.Encoder or a log.Logger is one
// write. The check is silent for these and for a loop in which each record is one
// write; for a newline that comes first, to end what a crash has left; for one
// text that is written at once through a buffer that holds nothing else (an encoder
// in front of a buffer promises no such thing); and for buffered writers in a field,
// whose owner means to keep bytes back. It is silent where nothing says that the
// file holds state, and for packages that serve tests, measurements or demonstrations,
// as tornwrite is; that each of its lines is the output of an
// encoder says so, unless its name speaks of a log or a report. It is silent under
// a lock between processes that every caller holds, or that the function which
// opens the file takes and keeps; for files that the function makes, empties or
// moves; for names that are unique or tell the process; and wherever the opening of
// the file cannot be seen. A mutex silences nothing: other processes have their own.
//
// The fix calls safeio.Append where the record is JSON on one line and the file is
// opened for this record alone. Elsewhere it joins the pieces into one write, or
// takes the buffered writer away from records that are each one write. The
// lines of safeio.Append are also durable, and a line that a crash has left
// unfinished does not swallow the next one.
//
// What stays: the bytes of each record and their order.
//
// To review: with safeio.Append a record waits for the disk, and an empty file
// with .lock added to the name stays beside the file. Without a buffer each
// record is a system call.
package tornappend
