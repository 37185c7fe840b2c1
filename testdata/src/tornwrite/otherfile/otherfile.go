// Package otherfile reads files in one directory, and writes those of the same names in another.
package otherfile

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type theme struct{ Name string }

func parse(path string) (t theme, data []byte, err error) {
	data, err = os.ReadFile(path)
	if err != nil {
		return t, nil, err
	}
	return t, data, json.Unmarshal(data, &t)
}

// check decodes what a directory has.
func check(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, _, err := parse(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// convert writes files that nothing here decodes.
func convert(src, dst string) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		t, _, err := parse(filepath.Join(src, e.Name()))
		if err != nil {
			return err
		}
		out, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dst, e.Name()), out, 0o600); err != nil { // ok: check reads another directory
			return err
		}
	}
	return nil
}

// install copies a file that it has decoded.
func install(src, dst string) error {
	_, data, err := parse(filepath.Join(src, "theme.json"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dst, "theme.json"), data, 0o600) // ok: the other one was decoded
}

func loadPalette(dir string) (t theme, err error) {
	t, _, err = parse(filepath.Join(dir, "palette.json"))
	return t, err
}

// copyPalette copies a file that another function loads from wherever it is.
func copyPalette(src, dst string) error {
	_, data, err := parse(filepath.Join(src, "palette.json"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dst, "palette.json"), data, 0o600) // want `copyPalette truncates dst/palette.json before it is written`
}

type profile struct{ dir string }

func (p *profile) load(name string) (t theme, err error) {
	t, _, err = parse(filepath.Join(p.dir, name))
	return t, err
}

// importAll gives the profile what another directory has.
func (p *profile) importAll(src string) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		t, _, err := parse(filepath.Join(src, e.Name()))
		if err != nil {
			return err
		}
		out, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, e.Name()), out, 0o600); err != nil { // want `importAll truncates p.dir/.* before it is written`
			return err
		}
	}
	return nil
}

// only decodes what importOne copies.
func only(dir string) (t theme, data []byte, err error) {
	return parse(filepath.Join(dir, "font.json"))
}

func importOne(src, dst string) error {
	_, data, err := only(src)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dst, "font.json"), data, 0o600) // ok: the other one was decoded
}
