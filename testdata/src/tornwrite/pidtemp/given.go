package pidtemp

import (
	"fmt"
	"os"
)

// writeAtomic is called by a command, once in a process.
func writeAtomic(path string, data []byte) error {
	tmp := fmt.Sprintf("%s.tmp.%d", path, os.Getpid())
	if err := os.WriteFile(tmp, data, 0o600); err != nil { /* warning */ // want `writeAtomic writes path through path\.tmp\.<pid>, which goroutines of one process share`
		return err
	}
	return os.Rename(tmp, path)
}

func loadNotes(path string) ([]byte, error) { return os.ReadFile(path) }
