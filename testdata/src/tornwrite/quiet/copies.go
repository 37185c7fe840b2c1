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

type depot struct{ dir string }

// fetch copies something whose name only a parameter knows, over whatever a
// helper lets it.
func (d *depot) fetch(from, metaName string) error {
	return copyOver(d.dir+metaName, from)
}

func (d *depot) weigh(metaName string) (int, error) {
	f, err := os.Open(d.dir + metaName)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.Read(make([]byte, 8))
}

func copyOver(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := mayReplace(to); err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // ok: a copy to a place that nothing says more of
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}

func mayReplace(to string) error {
	if fi, err := os.Stat(to); err == nil && fi.Size() != 0 && !isArchive(to) {
		return os.ErrExist
	}
	return nil
}

func isArchive(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := f.Read(head)
	return string(head[:n]) == "!<arch>\n"
}

// stock does the same to a place that has a name; nobody but the helper reads it.
func (d *depot) stock(from string) error {
	return copyOver(filepath.Join(d.dir, "meta.json"), from)
}

type mill struct{ catalogPath string }

// grind copies anew what is no good, and looks inside to tell.
func grind(catalog, from string) error {
	if good(catalog) {
		return nil
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(catalog) // ok: that it is there is not enough
	if err != nil {
		return err
	}
	defer dst.Close()
	_, err = io.Copy(dst, src)
	return err
}

func good(name string) bool {
	if _, err := os.Stat(name); err != nil {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	n, _ := f.Read(make([]byte, 8))
	return n == 8
}

func (m *mill) good() bool { return good(m.catalogPath) }

func (m *mill) regrind(from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(m.catalogPath) // ok: nor is it for the method that asks
	if err != nil {
		return err
	}
	defer dst.Close()
	_, err = io.Copy(dst, src)
	return err
}
