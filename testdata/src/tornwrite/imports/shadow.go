package imports

import (
	"encoding/json"
	"os"
)

// A parameter takes the name that the mended call would like to use.
func saveShadowed(safeio string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(safeio+"/shadowed.json", b, 0o600) // want `saveShadowed truncates safeio/shadowed\.json`
}
