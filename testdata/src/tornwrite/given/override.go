package given

import (
	"encoding/json"
	"os"
)

// where is what a test puts another file in place of.
var where = "/var/lib/given/ledger.json"

func writeEntries(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(where, data, 0o600) // want `writeEntries truncates given\.where`
}
