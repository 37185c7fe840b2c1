// Package closures writes inside of function literals.
package closures

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func retry(times int, f func() error) (err error) {
	for range times {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// The literal captures the path and the bytes.
func storeLease(dir string, v any) error {
	path := filepath.Join(dir, "lease.json")
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return retry(3, func() error {
		return os.WriteFile(path, b, 0o600) // want `storeLease truncates dir/lease\.json`
	})
}

// A literal that is called at once.
func storeNow(dir string, v any) error {
	path := filepath.Join(dir, "now.json")
	return func() error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return os.WriteFile(path, b, 0o600) // want `storeNow truncates dir/now\.json`
	}()
}

// A literal that runs beside the caller.
func storeLater(dir string, v any) {
	path := filepath.Join(dir, "later.json")
	go func() {
		b, err := json.Marshal(v)
		if err != nil {
			return
		}
		if err := os.WriteFile(path, b, 0o600); err != nil { // want `storeLater truncates dir/later\.json`
			println(err.Error())
		}
	}()
}
