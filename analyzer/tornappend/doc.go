// Package tornappend defines the check for records that are appended to a
// shared file in pieces.
//
// # tornappend
//
// With O_APPEND each write lands at the end of the file, whole, however many
// processes append. That holds for one write. A record that takes two writes
// leaves a gap. Another process appends there, and two records share a line. Or
// a crash leaves half a record, and the next one continues its line. A buffered
// writer cuts where its buffer is full.
//
// WRONG:
//
//	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if _, err := f.Write(data); err != nil {
//		return err
//	}
//	_, err = f.Write([]byte("\n"))
//	return err
//
// RIGHT:
//
//	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	_, err = f.Write(append(data, '\n'))
//	return err
//
// There is no fix: only the author can say how the pieces become one write, and
// what to do about its error.
//
// To silence one report, write //lockvet:ignore tornappend REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - tornappend/split: one line is written piece by piece, or the newline that
//     ends it by a call of its own.
//   - tornappend/buffered: records are appended through a bufio, csv or gzip
//     writer, which splits a record where its buffer is full.
//
// # Silent
//
// One call of fmt.Fprintf or Fprintln, of a json.Encoder or of a log.Logger is
// one write. A mutex silences nothing: other processes have their own. The
// check is silent
//
//   - where each record of a loop is one write;
//   - for a newline that comes first, to end what a crash has left;
//   - for one text that goes at once through an otherwise empty buffer, unless
//     an encoder writes to the buffer;
//   - for files that stay open in a field;
//   - where there is no evidence that the file holds state;
//   - under a lock between processes that all callers hold;
//   - for files that the function makes, truncates or always renames;
//   - for names that are unique or have the process number in them;
//   - where the opening of the file cannot be seen;
//   - for packages that serve tests.
//
// # Fixes
//
// There is none. Put the record together, its newline included, and write it
// at once. safeio.Append does that, and makes each record durable. It also ends a
// line that a crash has left unfinished: readers must expect such lines.
package tornappend
