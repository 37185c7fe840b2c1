// Package ignored says why some of its writes are fine.
package ignored

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type atlas struct {
	dir  string
	Maps []string
}

func (a *atlas) saveIndex() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "index.json"), data, 0o600) //lockvet:ignore tornwrite it is rebuilt from the maps
}

func (a *atlas) saveConfig() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	// Somebody else thought about it.
	//lockvet:ignore tornwrite/inplace,trunclock the installer writes it once
	return os.WriteFile(filepath.Join(a.dir, "config.json"), data, 0o600)
}

func (a *atlas) saveState() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	//lockvet:ignore tornwrite
	return os.WriteFile(filepath.Join(a.dir, "state.json"), data, 0o600) // want `\(\*atlas\)\.saveState truncates a\.dir/state\.json .* \(the directive on line 38 gives no reason and is not heeded\)`
}

func (a *atlas) saveJournal() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	//lockvet:ignore latelock it is about something else
	return os.WriteFile(filepath.Join(a.dir, "journal.json"), data, 0o600) // want `\(\*atlas\)\.saveJournal truncates`
}

//lockvet:ignore tornwrite a directive far from its line is none
func (a *atlas) saveLegend() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "legend.json"), data, 0o600) // want `\(\*atlas\)\.saveLegend truncates`
}
