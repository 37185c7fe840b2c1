// Package known hands the file on to a second package that hands it on to a
// third.
package known

import (
	"encoding/json"

	"tornwrite/acrosspkg/disk"
)

// Keep is one more step between the path and the write.
func Keep(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return disk.Put(path, b) // ok: an encoder alone is not enough
}
