package separator

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type diary struct{ dir string }

func (d *diary) open(name string, flags int) (*os.File, error) {
	return os.OpenFile(filepath.Join(d.dir, name), flags, 0o600)
}

// note has a helper open the file.
func (d *diary) note(m map[string]int) error {
	f, err := d.open("diary.jsonl", os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil { // want `\(\*diary\)\.note appends a record to d\.dir/diary\.jsonl and ends it by another write`
		return err
	}
	_, err = f.Write([]byte("\n"))
	return err
}
