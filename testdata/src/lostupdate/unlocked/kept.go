package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// A fileName is no string where one is wanted.
type fileName string

const (
	keptName          = "kept.json"
	keptFile fileName = "kept.json"
)

func loadKept(dir string) (routes []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, keptName))
	if err != nil {
		return nil, err
	}
	return routes, json.Unmarshal(data, &routes)
}

func saveKept(dir string, routes []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(routes)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, keptName), data)
}

// keepRoutes declares what it has to keep apart from the load.
func keepRoutes(dir, prefix string) error {
	var kept []string

	routes, err := loadKept(dir)
	if err != nil {
		return err
	}
	for _, r := range routes {
		if strings.HasPrefix(r, prefix) {
			kept = append(kept, r)
		}
	}
	return saveKept(dir, kept) // want `keepRoutes loads dir/kept.json`
}
