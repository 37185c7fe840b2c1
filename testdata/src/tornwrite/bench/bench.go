// Package bench measures. What it only writes is for whoever started it; what it
// decodes again is its own state, whatever the package is called.
package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveCounts(dir string, counts map[string]int) error {
	data, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "counts.json"), data, 0o644) // ok: a result of a benchmark
}

func best(dir string) (map[string]int, error) {
	data, err := os.ReadFile(filepath.Join(dir, "best.json"))
	if err != nil {
		return nil, err
	}
	var best map[string]int
	return best, json.Unmarshal(data, &best)
}

func putBest(dir string, best map[string]int) error {
	data, err := json.Marshal(best)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "best.json"), data, 0o644) // want `putBest truncates dir/best.json`
}
