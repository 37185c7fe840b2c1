package safeio

import (
	"context"
	"errors"
	"io/fs"
)

// View calls look with the content of the named file, nil if the file does not
// exist, while no [Update] and no holder of [Lock] can change it: what look does
// beside (reading other files that the lock stands for) belongs to that content.
// Others may View at the same time. A plain reader needs no View, for it finds every
// file whole.
//
// look owns the slice. Its error is returned as it is; any other is a *fs.PathError.
// look must not call Update or Lock for the same file. The lock is that of [RLock], and
// a special file or a directory is refused like by Update.
func View(name string, look func(content []byte) error) error {
	return Options{}.View(name, look)
}

// ViewContext is [View] that stops waiting for the lock when ctx is done, like
// [RLockContext].
func ViewContext(ctx context.Context, name string, look func(content []byte) error) error {
	return Options{}.ViewContext(ctx, name, look)
}

// View is [View] with options.
func (o Options) View(name string, look func(content []byte) error) error {
	return o.ViewContext(context.Background(), name, look)
}

// ViewContext is [ViewContext] with options.
func (o Options) ViewContext(ctx context.Context, name string, look func(content []byte) error) error {
	t, err := locate(name)
	if err != nil {
		return err
	}
	if t.special {
		return t.unfit("read")
	}
	held, err := o.quiet().RLockContext(ctx, t.path)
	if err != nil {
		return t.renamed(err, t.path)
	}
	defer held.Unlock()
	content, _, err := t.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return look(content)
}
