package unlocked

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const routesName = "routes.json"

func loadRoutes(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, routesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var routes []string
	return routes, json.Unmarshal(data, &routes)
}

func saveRoutes(dir string, routes []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(routes)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, routesName), data)
}

// addRoute has the directory at hand.
func addRoute(dir, route string) error {
	routes, err := loadRoutes(dir)
	if err != nil {
		return err
	}
	return saveRoutes(dir, append(routes, route)) // want `addRoute loads dir/routes.json`
}

// dropRoute has the directory above that one, and saves what it has not found, too.
func dropRoute(town, route string) error {
	dir := filepath.Join(town, ".agent")
	// What is there.
	var routes []string
	routes, err := loadRoutes(dir)
	if err != nil {
		return err
	}
	routes = slices.DeleteFunc(routes, func(r string) bool { return r == route })
	return saveRoutes(dir, routes) // want `dropRoute loads town/.agent/routes.json`
}

// keepRoutes declares what it has to keep apart from the load.
func keepRoutes(dir, prefix string) error {
	var kept []string

	routes, err := loadRoutes(dir)
	if err != nil {
		return err
	}
	for _, r := range routes {
		if strings.HasPrefix(r, prefix) {
			kept = append(kept, r)
		}
	}
	return saveRoutes(dir, kept) // want `keepRoutes loads dir/routes.json`
}
