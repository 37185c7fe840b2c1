package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// A cadence says when something was done last, and whether it is to be done at all:
// two functions save it.
type cadence struct {
	Last   string
	Paused bool
}

func cadenceFile(dir string) string { return filepath.Join(dir, "cadence-state.json") }

func loadCadence(dir string) (*cadence, error) {
	data, err := os.ReadFile(cadenceFile(dir))
	if err != nil {
		return nil, err
	}
	var c cadence
	return &c, json.Unmarshal(data, &c)
}

func saveCadence(dir string, c *cadence) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(cadenceFile(dir), data)
}

func done(dir string) error {
	c, err := loadCadence(dir)
	if err != nil {
		return err
	}
	c.Last = time.Now().Format(time.RFC3339)
	return saveCadence(dir, c) // want `done loads dir/cadence-state.json, changes it and saves it with no lock`
}

func pause(dir string) error {
	c, err := loadCadence(dir)
	if err != nil {
		return err
	}
	c.Paused = true
	return saveCadence(dir, c) // want `pause loads dir/cadence-state.json, changes it and saves it with no lock`
}

// attend leaves to the next what it has come to, and overtakes who has paused it.
func attend(dir string, tick <-chan time.Time) error {
	c, err := loadCadence(dir)
	if err != nil {
		return err
	}
	for at := range tick {
		c.Last = at.Format(time.RFC3339)
	}
	return saveCadence(dir, c) // want `attend loads dir/cadence-state.json, changes it and saves it with no lock.*no fix: it waits for events in between`
}
