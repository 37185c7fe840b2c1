package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// overlayFlag writes the overlay where the go command can read it and returns
// the flag that names it. The caller removes it again when the go command is
// done.
func overlayFlag(overlay map[string][]byte) (flag string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "lockvet-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	replace := make(map[string]string, len(overlay))
	for i, name := range slices.Sorted(maps.Keys(overlay)) {
		content := overlay[name]
		if content == nil {
			replace[name] = "" // gone
			continue
		}
		// The compiler's messages name this file: let the base name be right.
		replace[name] = filepath.Join(dir, fmt.Sprint(i), filepath.Base(name))
		if err := os.Mkdir(filepath.Dir(replace[name]), 0o700); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(replace[name], content, 0o600); err != nil {
			return "", nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	return "-overlay=" + name, remove, os.WriteFile(name, data, 0o600)
}
