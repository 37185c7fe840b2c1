// A literal calls itself by the variable that holds it.
package literals

import (
	"io"
	"os"
	"path/filepath"
)

func Copy(from, to string) error {
	var walk func(dir, name string) error
	walk = func(dir, name string) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() {
				if err := walk(filepath.Join(dir, e.Name()), name+e.Name()+"/"); err != nil {
					return err
				}
				continue
			}
			in, err := os.Open(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			out, err := os.Create(filepath.Join(to, name+e.Name()))
			if err != nil {
				in.Close()
				return err
			}
			_, err = io.Copy(out, in)
			in.Close()
			out.Close()
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(from, "")
}
