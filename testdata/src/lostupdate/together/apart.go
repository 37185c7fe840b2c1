package together

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type marks struct{ Names []string }

func loadMarks(dir string) (*marks, error) {
	data, err := os.ReadFile(filepath.Join(dir, "marks.json"))
	if err != nil {
		return nil, err
	}
	var m marks
	return &m, json.Unmarshal(data, &m)
}

func saveMarks(dir string, m *marks) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "marks.json"), data)
}

func addMark(dir, name string) error {
	m, err := loadMarks(dir)
	if err != nil {
		return err
	}
	m.Names = append(m.Names, name)
	return saveMarks(dir, m) // want `addMark loads dir/marks.json.*no fix: cutMarks saves the file, too, at apart_cut.go:11, and would not have the lock: it stands in another source file`
}
