package needs

import (
	"errors"
	"fmt"
	"path/filepath"

	"lostupdate/needs/rigs"
)

// clear stands in a file that imports neither os nor io/fs.
func clear(dir string) error {
	path := filepath.Join(dir, "settings", "cleared.json")
	r, err := rigs.Load(path)
	if err != nil {
		if errors.Is(err, rigs.ErrNotFound) {
			return fmt.Errorf("no settings at %s", path)
		}
		return fmt.Errorf("loading settings: %w", err)
	}
	r.Names = r.Names[1:]
	return rigs.Save(path, r) // want `clear loads dir/settings/cleared.json.*no fix: the function says that there is no file`
}
