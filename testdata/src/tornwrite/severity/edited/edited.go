package edited

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// replaceInRecord edits any text, as an editor does.
func replaceInRecord(path, from, to string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(data)
	if !strings.Contains(text, from) {
		return fmt.Errorf("%q is not in %s", from, path)
	}
	return os.WriteFile(path, []byte(strings.Replace(text, from, to, 1)), 0o600) /* warning note */ // want `replaceInRecord truncates path` `replaceInRecord loads path`
}

// replaceAsked edits what a request names.
func replaceAsked(args map[string]string) error {
	recordPath := args["path"]
	data, err := os.ReadFile(recordPath)
	if err != nil {
		return err
	}
	return os.WriteFile(recordPath, []byte(strings.Replace(string(data), args["from"], args["to"], 1)), 0o600) /* warning note */ // want `replaceAsked truncates args` `replaceAsked loads args`
}

// replaceInDir puts the path together: it knows which files these are.
func replaceInDir(dir, recordName, from, to string) error {
	path := filepath.Join(dir, recordName)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o600) /* error */ // want `replaceInDir truncates dir/recordName` `replaceInDir loads dir/recordName`
}

type records struct{ recordsPath string }

// add edits the file of its object: it knows which that is.
func (n *records) add(line string) error {
	data, err := os.ReadFile(n.recordsPath)
	if err != nil {
		return err
	}
	return os.WriteFile(n.recordsPath, append(data, line...), 0o600) /* error */ // want `add truncates n.recordsPath` `add loads n.recordsPath`
}

func (n *records) lines() ([]string, error) {
	data, err := os.ReadFile(n.recordsPath)
	return strings.Split(string(data), "\n"), err
}

// replaceInOpenRecord edits what an editor has open, by its address.
func replaceInOpenRecord(recordURL, from, to string) error {
	path := strings.TrimPrefix(recordURL, "file://")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o600) /* warning note */ // want `replaceInOpenRecord truncates` `replaceInOpenRecord loads`
}

// A message is what a server of a language sends.
type message struct {
	Edits []struct{ RecordURI, From, To string }
}

// replaceInRecords edits what a message names.
func replaceInRecords(m message) error {
	for _, edit := range m.Edits {
		path := strings.TrimPrefix(edit.RecordURI, "file://")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		err = os.WriteFile(path, []byte(strings.Replace(string(data), edit.From, edit.To, 1)), 0o600) /* warning note */ // want `replaceInRecords truncates` `replaceInRecords loads`
		if err != nil {
			return err
		}
	}
	return nil
}
