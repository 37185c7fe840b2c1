// Package journal rewrites files in place, because others have them mounted by
// their inode, and keeps what they held until the new content is complete.
package journal

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

const backupSuffix = ".backup"

// Write keeps what was there, writes, and forgets what was there.
func Write(name string, data []byte) error {
	if err := recoverFile(name); err != nil {
		return err
	}
	if err := copyFile(name+backupSuffix, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return errors.Join(err, recoverFile(name))
	}
	return os.Remove(name + backupSuffix)
}

// Read reads what was complete last.
func Read(name string) ([]byte, error) {
	if err := recoverFile(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// recoverFile puts the backup back that an interrupted Write has left.
func recoverFile(name string) error {
	if _, err := os.Stat(name + backupSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := copyFile(name, name+backupSuffix); err != nil {
		return err
	}
	return os.Remove(name + backupSuffix)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

type index struct{ Entries []string }

// saveIndex keeps a backup that only a person will put back.
func saveIndex(dir string, idx *index) error {
	data, err := json.Marshal(idx)
	if err != nil {
		return err
	}
	name := dir + "/index.json"
	if old, err := os.ReadFile(name); err == nil {
		if err := os.WriteFile(name+".bak", old, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(name, data, 0o600) // want `saveIndex truncates dir/index.json before it is written`
}

// resetIndex puts a backup back that somebody may have made.
func resetIndex(indexFile string, idx *index) error {
	data, err := json.Marshal(idx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(indexFile, data, 0o600); err != nil { // want `resetIndex truncates indexFile before it is written`
		return errors.Join(err, copyFile(indexFile, indexFile+backupSuffix))
	}
	return nil
}

// publishIndex copies the new index over the old one.
func publishIndex(dir string) error {
	in, err := os.Open(dir + "/index.json.new")
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dir+"/index.json", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // want `publishIndex truncates dir/index.json before it is written`
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func loadIndex(dir string) (*index, error) {
	data, err := os.ReadFile(dir + "/index.json")
	if err != nil {
		return nil, err
	}
	var idx index
	return &idx, json.Unmarshal(data, &idx)
}

// notes is a command with two deeds, of which one run does one: the copy is put back when a
// person asks for that.
func notes(name, deed string, idx *index) error {
	switch deed {
	case "save":
		data, err := json.Marshal(idx)
		if err != nil {
			return err
		}
		if old, err := os.ReadFile(name); err == nil {
			if err := os.WriteFile(name+".bak", old, 0o600); err != nil {
				return err
			}
		}
		return os.WriteFile(name, data, 0o600) // want `notes truncates name before it is written`
	case "rollback":
		old, err := os.ReadFile(name + ".bak")
		if err != nil {
			return err
		}
		return os.WriteFile(name, old, 0o600) // ok: the copy stays until this is done
	}
	return errors.New("save or rollback")
}

// loadNotes finds what is there.
func loadNotes(name string) (*index, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	idx := new(index)
	return idx, json.Unmarshal(data, idx)
}
