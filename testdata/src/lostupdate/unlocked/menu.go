package unlocked

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type menu struct{ Dishes map[string]string }

func readMenu(path string) (*menu, error) {
	m := &menu{Dishes: map[string]string{}}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, m)
}

// addDish makes the directory when it knows what to put there: it has to be there
// for the lock, and is made once.
func addDish(town, name, price string) error {
	m, err := readMenu(filepath.Join(town, ".kitchen", "add.json"))
	if err != nil {
		return fmt.Errorf("failed to read menu: %w", err)
	}
	m.Dishes[name] = price

	// The kitchen may be new.
	if err := os.MkdirAll(filepath.Join(town, ".kitchen"), 0o755); err != nil {
		return fmt.Errorf("failed to open kitchen: %w", err)
	}

	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("failed to write menu: %w", err)
	}
	return replaceFile(filepath.Join(town, ".kitchen", "add.json"), data) // want `addDish loads town/.kitchen/add.json`
}

// dropDish has a name for the directory only behind the load.
func dropDish(town, name string) error {
	m, err := readMenu(filepath.Join(town, ".kitchen", "drop.json"))
	if err != nil {
		return fmt.Errorf("error reading menu: %w", err)
	}
	delete(m.Dishes, name)
	dir := filepath.Join(town, ".kitchen")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("error opening kitchen: %w", err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, "drop.json"), data) // want `dropDish loads town/.kitchen/drop.json`
}

// renameDish gives on most errors as they are.
func renameDish(town, old, name string) error {
	m, err := readMenu(filepath.Join(town, ".kitchen", "rename.json"))
	if err != nil {
		return fmt.Errorf("failed to read menu: %w", err)
	}
	m.Dishes[name] = m.Dishes[old]
	if _, err := json.Marshal(name); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(town, ".kitchen", "rename.json"), data) // want `renameDish loads town/.kitchen/rename.json`
}

// priceDish has a word on the directory, and goes on.
func priceDish(town, name, price string) error {
	m, err := readMenu(filepath.Join(town, ".kitchen", "price.json"))
	if err != nil {
		return fmt.Errorf("reading menu: %w", err)
	}
	m.Dishes[name] = price
	if err := os.MkdirAll(filepath.Join(town, ".kitchen"), 0o755); err != nil {
		println("no kitchen")
	}
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing menu: %w", err)
	}
	return replaceFile(filepath.Join(town, ".kitchen", "price.json"), data) // want `priceDish loads town/.kitchen/price.json`
}

func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "tmp")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
