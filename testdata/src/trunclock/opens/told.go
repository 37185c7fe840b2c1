package opens

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
)

func open(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// replace has a helper empty the file.
func (b *board) replace() error {
	f, err := open(filepath.Join(b.dir, "next.json"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC) // want `\(\*board\)\.replace empties b\.dir/next\.json before the lock on it is held.*a helper opens the file, with the flags that it is given`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return json.NewEncoder(f).Encode(b.Cards)
}
