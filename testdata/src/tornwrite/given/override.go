package given

import (
	"encoding/json"
	"os"
)

// ledgerFile is what a test puts another file in place of.
var ledgerFile = "/var/lib/given/ledger.json"

func writeEntries(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(ledgerFile, data, 0o600) // want `writeEntries truncates given\.ledgerFile`
}
