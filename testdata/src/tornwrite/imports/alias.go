// Package imports reaches package os under other names.
package imports

import (
	"encoding/json"
	"path/filepath"

	sys "os"
)

func saveAliased(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return sys.WriteFile(filepath.Join(dir, "aliased.json"), b, 0o600) // want `saveAliased truncates dir/aliased\.json`
}
