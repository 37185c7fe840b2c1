package closed

import (
	"bufio"
	"fmt"
	"os"
)

// tail flushes the head, and not what comes behind it.
func tail(path, head, rest string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer w.Flush()
	fmt.Fprintln(w, head)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, rest)
	return f.Close() // want `tail closes path before the bufio writer is flushed`
}
