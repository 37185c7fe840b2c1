// Package opened opens files under a mutex that is no field beside the writer.
package opened

import (
	"bufio"
	"fmt"
	"os"
	"sync"
)

var mu sync.Mutex

func note(path, line string, told func()) error {
	mu.Lock()
	f, err := os.OpenFile(path+".txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		mu.Unlock()
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, line)
	mu.Unlock() // want `note releases the lock on path\.txt before what it wrote is flushed: .* \(no fix: `
	told()
	return w.Flush()
}
