package unlocked

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lockvet/lockvet/safeio"
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

func tablePath() string { return filepath.Join(os.Getenv("HOME"), ".routes", "table.json") }

func loadTable() ([]string, error) {
	path := tablePath()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var table []string
	return table, json.Unmarshal(data, &table)
}

func saveTable(table []string) error {
	if err := os.MkdirAll(filepath.Dir(tablePath()), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(table)
	if err != nil {
		return err
	}
	return safeio.WriteFile(tablePath(), data, 0o644)
}

// register has no name for the path, which two calls need.
func register(route string) error {
	table, err := loadTable()
	if err != nil {
		return err
	}
	table = append(table, route)
	return saveTable(table) // want `register loads .*/.routes/table.json`
}
