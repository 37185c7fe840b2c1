// Package counterpart has a writer whose loader goes by the file's being there.
package counterpart

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeSkill keeps what its user has written, and that is all there is of it.
func writeSkill(home, name, text string, must bool) error {
	dir := filepath.Join(home, "plugins", name)
	file := filepath.Join(dir, "SKILL.md")
	_, err := os.Stat(file)
	exists := err == nil
	if must && !exists {
		return fmt.Errorf("%s does not exist", name)
	}
	if !must && exists {
		return errors.New("there is one")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte("# "+name+"\n"+text), 0o600) // want `writeSkill truncates home/plugins/name/SKILL.md`
}

func readSkill(path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}
