package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

var (
	devicesMu   sync.Mutex
	devicesOnce sync.Once
	devices     = map[string]string{}
)

func devicesPath() string { return filepath.Join(os.Getenv("HOME"), ".mailer", "devices.json") }

// loadDevices loads the file when it is first called.
func loadDevices() {
	devicesOnce.Do(func() {
		if data, err := os.ReadFile(devicesPath()); err == nil {
			_ = json.Unmarshal(data, &devices)
		}
	})
}

// deliver subscribes whoever answers.
func deliver(names []string) {
	for _, name := range names {
		go subscribe(name, "push")
	}
}

func subscribe(name, device string) error {
	loadDevices()
	devicesMu.Lock()
	defer devicesMu.Unlock()
	devices[name] = device
	data, err := json.Marshal(devices)
	if err != nil {
		return err
	}
	return replace(devicesPath(), data) // ok: it was loaded once, for all calls
}

var countOnce sync.Once

// countDevice loads and saves in what runs once: another process does the same.
func countDevice(name string) error {
	var err error
	countOnce.Do(func() {
		var data []byte
		if data, err = os.ReadFile(devicesPath()); err != nil {
			return
		}
		all := map[string]string{}
		if err = json.Unmarshal(data, &all); err != nil {
			return
		}
		all[name] = "counted"
		if data, err = json.Marshal(all); err == nil {
			err = replace(devicesPath(), data) // want `countDevice loads \$HOME/.mailer/devices.json, changes it and saves it with no lock`
		}
	})
	return err
}
