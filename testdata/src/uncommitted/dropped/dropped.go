// Package dropped writes new contents, and that is that.
package dropped

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/lockvet/lockvet/safeio"
)

func save(path string, v any) error {
	f, err := safeio.Create(path) // want `save writes a new content of path and never calls Commit: the old file stays`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(v)
}

func saveSummed(path string, data []byte) (sum uint32, err error) {
	f, err := safeio.Create(path) // want `saveSummed writes a new content of path and never calls Commit`
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	h := crc32.NewIEEE()
	if _, err := io.MultiWriter(f, h).Write(data); err != nil {
		return 0, err
	}
	fmt.Fprintf(f, "%08x\n", h.Sum32())
	return h.Sum32(), nil
}
