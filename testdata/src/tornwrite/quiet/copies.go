package quiet

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

func saveCopy(from, dir string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(filepath.Join(dir, "catalog.json")) // ok: the source is still there
	if err != nil {
		return err
	}
	defer dst.Close()
	_, err = io.Copy(dst, src)
	return err
}

func saveCatalog(dir string, v any) error {
	dst, err := os.Create(filepath.Join(dir, "catalog.json")) // want `saveCatalog truncates dir/catalog\.json`
	if err != nil {
		return err
	}
	defer dst.Close()
	return json.NewEncoder(dst).Encode(v)
}
