package imports

import (
	"encoding/json"
	. "os"
)

func saveDotted(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return WriteFile(dir+"/dotted.json", b, 0o600) // want `saveDotted truncates dir/dotted\.json`
}
