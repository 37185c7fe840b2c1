package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// tornMark ends the line of a torn record.
const tornMark = 0x18 // CAN: what came before is to be ignored

// Append adds record to the named file as a line of its own, creating the file
// with mode perm (less the umask) if it does not exist. nil means that the
// line is whole, in place and durable. Symbolic links are followed.
//
// The record may hold any bytes but a newline, and may not end in the control
// byte CAN (0x18), which marks torn lines: both are refused with an error that
// matches [fs.ErrInvalid].
//
// Every process that appends with Append acquires the lock of the file (see
// [LockContext]) and puts a record there by one write system call (several, from
// 1 GiB on): no reader sees lines mixed, nor a record in pieces with others between
// them. A reader may see a record before it is durable.
// A caller's appends stay in the caller's order. Those that wait in one process
// for the same file are written together and synced once, at most 256 of them
// or 1 MiB at a time, so that other processes have their turn; one that
// fails does not take the others along. A caller that holds the lock itself
// must not call Append, which would wait for it without end.
//
// A writer that died in the middle of a write (or an editor, or a program that
// does not know this package) may have left a last line without a newline. If that
// is a whole JSON object or array, which no torn record is, the next Append ends it
// with the newline that is missing. Any other it ends with CAN and a newline, since
// nobody can tell how long it was meant to be. No JSON text ends so:
// who decodes line by line meets one line that is an error and goes on;
// [Records] reports it as torn. A decoder of the whole stream (json.Decoder, jq
// without -R) stops there, as it would have at the torn record. Nothing is ever cut
// off that another writer has left.
//
// The error is a *fs.PathError. If it matches [ErrPublished], the record is in
// place and every reader sees it, but it may not survive a power cut; appending
// it again would double it. After any other error the record is not in the
// file: what a full disk let through of it was cut off again under the lock (if
// even that failed, it is a torn line). A new file may be left empty.
//
// The file must be readable as well as writable. Where the lock file cannot be made
// because the directory may not be written, the file itself is locked, for
// which Append waits up to ten seconds. Special files (pipes, devices,
// /dev/stdout) are written as they are: by one write, without lock or sync.
// Append knows nothing of programs that write to the file without taking its lock.
func Append(name string, record []byte, perm fs.FileMode) error {
	return Options{}.Append(name, record, perm)
}

// AppendJSON is [Append] of v as encoding/json encodes it, on one line. A v
// that cannot be encoded leaves the file as it is.
func AppendJSON(name string, v any, perm fs.FileMode) error {
	return Options{}.AppendJSON(name, v, perm)
}

// AppendJSON is [AppendJSON] with options.
func (o Options) AppendJSON(name string, v any, perm fs.FileMode) error {
	return o.AppendJSONContext(context.Background(), name, v, perm)
}

// AppendJSONContext is [AppendJSONContext] with options.
func (o Options) AppendJSONContext(ctx context.Context, name string, v any, perm fs.FileMode) error {
	record, err := json.Marshal(v)
	if err != nil {
		return &fs.PathError{Op: "encode", Path: name, Err: err}
	}
	return o.AppendContext(ctx, name, record, perm)
}

// AppendContext is [Append] that stops waiting when ctx is done. The record is not
// in the file then, and the error matches ctx.Err() and [context.Cause]. Once
// the lock is acquired, ctx has no more effect.
func AppendContext(ctx context.Context, name string, record []byte, perm fs.FileMode) error {
	return Options{}.AppendContext(ctx, name, record, perm)
}

// AppendJSONContext is [AppendJSON] that stops waiting when ctx is done, like
// [AppendContext].
func AppendJSONContext(ctx context.Context, name string, v any, perm fs.FileMode) error {
	return Options{}.AppendJSONContext(ctx, name, v, perm)
}

// Append is [Append] with options.
func (o Options) Append(name string, record []byte, perm fs.FileMode) error {
	return o.AppendContext(context.Background(), name, record, perm)
}

// AppendContext is [AppendContext] with options.
func (o Options) AppendContext(ctx context.Context, name string, record []byte, perm fs.FileMode) error {
	t, err := locate(name)
	if err != nil {
		return err
	}
	if why := unfit(record); why != "" {
		return t.wrap("append", fmt.Errorf("%w: %s", fs.ErrInvalid, why))
	}
	if t.special || t.isPseudo() {
		if o.Strict {
			return t.refuse(nil)
		}
		return appendDirectly(t, record, perm)
	}
	p := &pending{ctx: ctx, opts: o, target: t, record: record, turn: make(chan bool, 1)}
	p.wait(func(batch func(most int) []*pending) { o.appendAll(ctx, t, perm, batch) })
	return p.err
}

// unfit says why record cannot be a line, or "".
func unfit(record []byte) string {
	switch {
	case bytes.IndexByte(record, '\n') >= 0:
		return "a record with a newline in it would be two"
	case bytes.HasSuffix(record, []byte{tornMark}):
		return "a record that ends in CAN would be read as torn"
	}
	return ""
}

// appendDirectly writes to a special file by one write system call.
func appendDirectly(t target, record []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(append(record[:len(record):len(record)], '\n'))
	if unclosed := f.Close(); err == nil {
		err = unclosed
	}
	return err
}

// appendAll acquires the lock of t, then the records that wait for it by then,
// and writes those. It says for each with what error.
func (o Options) appendAll(ctx context.Context, t target, perm fs.FileMode, batch func(most int) []*pending) {
	l := &logfile{opts: o, target: t}
	defer l.close()
	err := l.open(ctx, perm)
	if err != nil && ctx.Err() != nil {
		failAll(batch(1), err) // the others go on waiting
		return
	}
	records := batch(batchRecords)
	if err == nil {
		err = l.heal()
	}
	if err != nil {
		failAll(records, err)
		return
	}
	written := l.write(records)
	if len(written) == 0 {
		return
	}
	err = errors.Join(l.unsynced, cause(l.step("sync", func() error { return syncFile(l.f) })))
	if err == nil {
		return
	}
	for _, p := range written {
		p.err = p.target.published(err)
	}
}

// failAll gives each of records err under its own name.
func failAll(records []*pending, err error) {
	for _, p := range records {
		p.err = err
		if e, ok := err.(*fs.PathError); ok {
			p.err = p.target.wrap(e.Op, e)
		}
	}
}

// A logfile is a file of records that is open and locked, to be appended to.
type logfile struct {
	opts     Options
	target   target
	lock     *Held // nil if f is locked itself
	f        *os.File
	size     int64 // where the next record goes
	unsynced error // why the name of a new file could not be made durable
}

// step does what name says, and names the target in its error.
func (l *logfile) step(name string, do func() error) error {
	err := l.opts.at(name)
	if err == nil {
		err = do()
	}
	if err != nil {
		return l.target.wrap(name, err)
	}
	return nil
}

// open locks and opens the file. The name of a file is durable before the
// first record is in it: whoever finds a record need not ask.
func (l *logfile) open(ctx context.Context, perm fs.FileMode) error {
	err := l.step("lock", func() (err error) {
		// By path: what a link leads to may have changed since it was followed.
		l.lock, err = lockRequest{opts: l.opts.quiet(), ctx: ctx, name: l.target.path, sidecarOnly: true}.acquire()
		return err
	})
	unlocked := err != nil && l.opts.LockFile == "" && l.target.unlockable(err)
	if unlocked && l.opts.Strict {
		return l.target.refusal(err)
	}
	if err != nil && !unlocked {
		return err
	}
	err = l.step("open", func() (err error) {
		l.f, err = openRegular(l.target.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, perm)
		return err
	})
	if err == nil && unlocked {
		err = l.step("lock", func() error { return lockWithin(l.f, ownPatience) })
	}
	if err != nil {
		return err
	}
	if unlocked && l.target.hasLockFile() { // others use that by now
		l.f.Close()
		return l.open(ctx, perm)
	}
	info, err := l.f.Stat()
	if err != nil {
		return l.target.wrap("stat", err)
	}
	l.size = info.Size()
	if l.size == 0 {
		return l.syncName()
	}
	return nil
}

// unlockable reports whether err means that t can have no lock file, although
// it may be possible to write to it. A lock file that others have made, but
// this process may not open, is another matter: they use it.
func (t target) unlockable(err error) bool {
	var none *noLockFileError
	if t.info != nil && errors.As(err, &none) {
		return true
	}
	if t.info == nil || !blocked(cause(err)) {
		return false
	}
	_, err = os.Lstat(t.lockName())
	return errors.Is(err, fs.ErrNotExist)
}

// lockWithin locks f, which closing f undoes, or returns errLocked when
// patience has passed.
func lockWithin(f *os.File, patience time.Duration) error {
	for start := time.Now(); ; time.Sleep(lockPause) {
		err := tryLock(f)
		if !errors.Is(err, errLocked) || time.Since(start) > patience {
			return err
		}
	}
}

// syncName makes the name of the file durable. A directory that may not be
// read cannot be synced, which is kept for the end.
func (l *logfile) syncName() error {
	var dir directory
	err := l.step("opendir", func() (err error) {
		dir, err = openDirectory(l.target.dir())
		return err
	})
	if errors.Is(err, fs.ErrPermission) {
		l.unsynced = cause(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.close()
	if dir.unsynced != nil {
		l.unsynced = dir.unsynced
		return nil
	}
	return l.step("syncdir", dir.sync)
}

// heal ends the line of a writer that died, if there is one.
func (l *logfile) heal() error {
	if l.size == 0 {
		return nil
	}
	last := make([]byte, 1)
	err := l.step("read", func() error {
		_, err := l.f.ReadAt(last, l.size-1)
		return err
	})
	if err != nil || last[0] == '\n' {
		return err
	}
	end := []byte{tornMark, '\n'}
	if l.endsInJSON() {
		end = end[1:]
	}
	n, err := l.put("heal", end)
	if err != nil {
		l.cut(0, n)
		return err
	}
	l.size += int64(n)
	return nil
}

// maxLine bounds what of a last line without a newline is looked at.
const maxLine = 1 << 20

// endsInJSON reports whether the last line, which has no newline, is whole.
func (l *logfile) endsInJSON() bool {
	start := l.size - maxLine
	if start < 0 {
		start = 0
	}
	tail := make([]byte, l.size-start)
	if _, err := l.f.ReadAt(tail, start); err != nil {
		return false
	}
	line := bytes.LastIndexByte(tail, '\n')
	if line < 0 && start > 0 {
		return false
	}
	return wholeJSON(tail[line+1:])
}

// wholeJSON reports whether line is a JSON object or array. No beginning of one is
// another, as that of a number may be.
func wholeJSON(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && len(line) <= maxLine && (line[0] == '{' || line[0] == '[') && json.Valid(line)
}

// write appends records by one system call, and returns those that are now in
// the file. If the call fails, what it left of a record is cut off, and those
// behind that record are tried again: it may have been too long for the disk,
// and they not.
func (l *logfile) write(records []*pending) (written []*pending) {
	buf, ends := asLines(records)
	for start := 0; len(records) > 0; {
		n, err := l.put("write", buf[start:])
		whole := 0
		for whole < len(records) && ends[whole] <= start+n {
			whole++
		}
		written = append(written, records[:whole]...)
		if err == nil || whole == len(records) {
			return written
		}
		keep := 0
		if whole > 0 {
			keep = ends[whole-1] - start
		}
		if !l.cut(keep, n) {
			failAll(records[whole:], err)
			return written
		}
		l.size += int64(keep)
		failAll(records[whole:whole+1], err)
		start = ends[whole]
		records, ends = records[whole+1:], ends[whole+1:]
	}
	return written
}

// asLines puts records behind each other as lines, and tells where each ends.
func asLines(records []*pending) (buf []byte, ends []int) {
	size := 0
	for _, p := range records {
		size += len(p.record) + 1
	}
	buf, ends = make([]byte, 0, size), make([]int, len(records))
	for i, p := range records {
		buf = append(append(buf, p.record...), '\n')
		ends[i] = len(buf)
	}
	return buf, ends
}

// put writes buf at the end of the file.
func (l *logfile) put(step string, buf []byte) (n int, err error) {
	err = l.step(step, func() (err error) {
		n, err = l.f.Write(buf)
		return err
	})
	return n, err
}

// cut takes back what a failed write of n bytes left beyond the first keep of
// them. It reports whether the file now ends there. Lines that are whole are
// never cut off: somebody may have read them.
//
// A file that has another size than it should is not touched, for that may be
// the work of a program that does not know the lock.
func (l *logfile) cut(keep, n int) bool {
	info, err := l.f.Stat()
	if err != nil || info.Size() != l.size+int64(n) {
		return false
	}
	if keep == n {
		return true
	}
	return l.step("cut", func() error { return truncate(l.f, l.target.path, l.size+int64(keep)) }) == nil
}

// truncate cuts f, which is the file at path, to size. On Windows a file that
// is open for appending has to be opened once more for that.
func truncate(f *os.File, path string, size int64) error {
	err := f.Truncate(size)
	if err == nil {
		return nil
	}
	again, unopened := os.OpenFile(path, os.O_WRONLY, 0)
	if unopened != nil {
		return err
	}
	defer again.Close()
	if !sameFile(f, again) {
		return err
	}
	return again.Truncate(size)
}

// sameFile reports whether two open files are one.
func sameFile(a, b *os.File) bool {
	info1, err1 := a.Stat()
	info2, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(info1, info2)
}

// close closes the file and releases its lock. By then what was written is synced
// or known not to be: errors have nothing to add.
func (l *logfile) close() {
	l.opts.at("close")
	if l.f != nil {
		l.f.Close()
	}
	if l.lock != nil {
		l.lock.Unlock()
	}
}
