// Package buffer encodes into memory before it writes.
package buffer

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"os"
)

type inventory struct{ Items []string }

func (i *inventory) save(path string) error {
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(i); err != nil {
		return err
	}
	return os.WriteFile(path, buf.Bytes(), 0o644) // want `\(\*inventory\)\.save truncates path`
}

func (i *inventory) saveLines(path string) error {
	buf := new(bytes.Buffer)
	enc := json.NewEncoder(buf)
	for _, item := range i.Items {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return os.WriteFile(path, buf.Bytes(), 0o644) // want `\(\*inventory\)\.saveLines truncates path`
}

func (i *inventory) saveEnded(path string) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	return os.WriteFile(path, data, 0o644) // want `\(\*inventory\)\.saveEnded truncates path`
}

type pantry struct{ Jars []string }

func stock(p *pantry, file string) error {
	data, err := encoded(p)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644) // want `stock truncates /var/lib/pantry\.json`
}

func encoded(p *pantry) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	err := enc.Encode(p)
	return buf.Bytes(), err
}

func restock(file string) (p *pantry, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	return p, err
}

// repaint calls stock with the name of the file.
func repaint(p *pantry) error { return stock(p, "/var/lib/pantry.json") }
