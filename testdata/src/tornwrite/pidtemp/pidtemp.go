// Package pidtemp takes the process id for a unique name.
package pidtemp

import (
	"encoding/json"
	"fmt"
	"os"
)

type settings struct{ Editor string }

func (s *settings) save(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `\(\*settings\)\.save writes path through path\.<pid>\.tmp, which goroutines of one process share`
		return err
	}
	return os.Rename(tmp, path)
}
