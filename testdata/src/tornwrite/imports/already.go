package imports

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// The file has the import already; os stays in use.
func saveAgain(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := safeio.WriteFile(dir+"/first.json", b, 0o600); err != nil { // ok: replaced in one step
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(dir+"/second.json", b, 0o600) // want `saveAgain truncates dir/second\.json`
}
