package sync

import (
	"bufio"
	"fmt"
	"os"
)

// strict syncs again only for those who ask for it.
func strict(path, line string, strict bool) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, line)
	if err := f.Sync(); err != nil { // want `strict syncs path before the bufio writer is flushed`
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if strict {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Close()
}

// careful syncs again where the flush has not failed.
func careful(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, line)
	if err := f.Sync(); err != nil {
		return err
	}
	err = w.Flush()
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
