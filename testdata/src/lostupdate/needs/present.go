package needs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// records says whether there was one: where there is no directory, there was none.
func records(dir, id string) (bool, error) {
	path := filepath.Join(dir, "runtime", "records.json")
	data, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}

	records := map[string]int{}
	if err := json.Unmarshal(data, &records); err != nil {
		return false, err
	}
	if _, present := records[id]; !present {
		return false, nil
	}
	delete(records, id)

	out, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return true, err
	}
	return true, safeio.WriteFile(path, out, 0o600) // want `records loads dir/runtime/records.json.*no fix: the function says that there is no file`
}
