package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrPublished marks an error that came after the new content was put in
// place. Every reader sees the new content; a power cut may still undo it.
// Writing the same content again is safe and, if it succeeds, ends the doubt.
var ErrPublished = errors.New("new content is in place, but may not survive a power cut")

// ErrNotAtomic marks a write that [Options].Strict refused, because the target
// could only have been rewritten in place. The target is unchanged.
var ErrNotAtomic = errors.New("target cannot be replaced atomically")

// Options is how a file is written. The zero value is what [WriteFile] and
// [Create] use.
type Options struct {
	// Strict refuses, with an error that matches ErrNotAtomic, whatever
	// cannot be replaced atomically: files that would be rewritten in place,
	// special files and directories, also with Create, Update, State and the JSON
	// forms. Append and Update refuse files that can have no lock file, and Lock
	// does not lock such a file itself.
	// Where the system has an error of its own, such as that of a missing
	// directory, the error matches that, too.
	Strict bool

	// LockFile is the path of the lock file, in place of the hidden one
	// beside the target: to share the lock of another program, or where the
	// directory cannot be written and nobody is to lock the file itself. It is one
	// lock for all files that these Options are used for. It is created when needed
	// and never removed.
	LockFile string

	// NoSync leaves out the syncs of a replacement: for what is soon made again, such as a
	// cache or a status file. No reader, other writer or process that dies meets a part.
	// But after a power cut the file can hold the old content, the new, or, on some file
	// systems, none.
	NoSync bool

	// hook, if set, is asked before each step that can fail or leaves a
	// trace; its error stands for the failure of the step. Tests only.
	hook func(step string) error
}

// quiet is o for a step that asks no hook.
func (o Options) quiet() Options {
	o.hook = nil
	return o
}

// group is the same for options that calls may have which are served together. A
// hook is its first caller's.
func (o Options) group() string {
	if !o.Strict && !o.NoSync && o.LockFile == "" {
		return ""
	}
	return fmt.Sprintf("%t %t %q ", o.Strict, o.NoSync, o.LockFile)
}

func (o Options) at(step string) error {
	if o.hook == nil {
		return nil
	}
	return o.hook(step)
}

// WriteFile replaces the content of the named file by data, creating the file
// with mode perm (less the umask) if it does not exist. It has the signature
// and rules of [os.WriteFile], except that the old content stays until
// the new is complete, and that nil means that the new content is durable.
// The guarantees, and where they end, are in the package comment.
//
// The error is a *fs.PathError or *os.LinkError. If it matches [ErrPublished],
// the new content is in place; otherwise the old one is, unless the file had
// to be rewritten in place.
func WriteFile(name string, data []byte, perm fs.FileMode) error {
	return Options{}.WriteFile(name, data, perm)
}

// WriteFileNoSync is [WriteFile] with [Options].NoSync: for caches and status files.
func WriteFileNoSync(name string, data []byte, perm fs.FileMode) error {
	return Options{NoSync: true}.WriteFile(name, data, perm)
}

// WriteFile is [WriteFile] with options.
func (o Options) WriteFile(name string, data []byte, perm fs.FileMode) error {
	var w struct { // one allocation for all that must not be on the stack
		old  description
		temp bareFile
		file File
	}
	t, err := locateInto(name, &w.old)
	if err != nil {
		return err
	}
	f := &w.file
	f.opts, f.target = o, t
	err = f.stage(perm, w.temp.create)
	if t.special || t.isKernel(err) {
		if o.Strict {
			return t.refuse(err)
		}
		return os.WriteFile(name, data, perm)
	}
	if t.mayRewrite(err) {
		return o.rewrite(t, bytes.NewReader(data), int64(len(data)), nil, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
