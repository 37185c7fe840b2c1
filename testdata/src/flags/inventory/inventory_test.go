package inventory

import (
	"encoding/json"
	"os"
	"testing"
)

func saveItems(path string, items []item) error {
	b, err := json.Marshal(items)
	if err != nil {
		return err
	}
	return os.WriteFile(path+"/items.json", b, 0o644) // want `saveItems truncates path/items\.json`
}

func TestItems(t *testing.T) {
	if err := saveItems("testdata", nil); err != nil {
		t.Fatal(err)
	}
}
