package given

import "testing"

func TestEntries(t *testing.T) {
	where = t.TempDir() + "/ledger.json"
	if err := writeEntries(nil); err != nil {
		t.Fatal(err)
	}
}
