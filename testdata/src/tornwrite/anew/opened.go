package anew

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func chatFile(dir string) string { return filepath.Join(dir, "chat.json") }

func chat(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(chatFile(dir))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// Where there is no file to be emptied, one is made.
func saveChat(dir string, m map[string]string) error {
	f, err := os.OpenFile(chatFile(dir), os.O_WRONLY|os.O_TRUNC, 0o600) // want `tornwrite/inplace: saveChat truncates dir/chat.json before it is written`
	if os.IsNotExist(err) {
		f, err = os.Create(chatFile(dir))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}

func draftFile(dir string) string { return filepath.Join(dir, "draft.json") }

func draft(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(draftFile(dir))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// One of two ways is gone, whatever became of the other.
func saveDraft(dir string, m map[string]string, private bool) error {
	var f *os.File
	var err error
	if private {
		f, err = os.OpenFile(draftFile(dir), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // want `tornwrite/inplace: saveDraft truncates dir/draft.json before it is written`
	} else {
		f, err = os.Create(draftFile(dir)) // want `tornwrite/inplace: saveDraft truncates dir/draft.json before it is written`
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}
