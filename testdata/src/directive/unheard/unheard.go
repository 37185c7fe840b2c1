// Package unheard speaks to the analysis, and is not always heard.
package unheard

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type atlas struct {
	dir  string
	Maps []string
}

// ok: it says why, and something is reported there
func (a *atlas) saveIndex() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "index.json"), data, 0o600) //lockvet:ignore tornwrite it is rebuilt from the maps
}

// ok: the line below is what it speaks of, and one of its checks is enough
func (a *atlas) saveConfig() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	//lockvet:ignore trunclock,tornwrite/inplace the installer writes it once
	return os.WriteFile(filepath.Join(a.dir, "config.json"), data, 0o600)
}

func (a *atlas) saveState() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	/* want `the comment gives no reason for ignoring tornwrite: it has no effect` */ //lockvet:ignore tornwrite
	return os.WriteFile(filepath.Join(a.dir, "state.json"), data, 0o600)                     // want `\(\*atlas\)\.saveState truncates`
}

func (a *atlas) saveJournal() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	/* want `latelock reports nothing here` */                             //lockvet:ignore latelock it is about something else
	return os.WriteFile(filepath.Join(a.dir, "journal.json"), data, 0o600) // want `\(\*atlas\)\.saveJournal truncates`
}

/* want `tornwrite reports nothing here` */ //lockvet:ignore tornwrite a directive far from its line is none
func (a *atlas) saveLegend() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "legend.json"), data, 0o600) // want `\(\*atlas\)\.saveLegend truncates`
}

func (a *atlas) saveRoute() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	/* want `there is no check "tornwrit"` */                           //lockvet:ignore tornwrit the name of the check is misspelt
	return os.WriteFile(filepath.Join(a.dir, "route.json"), data, 0o600) // want `\(\*atlas\)\.saveRoute truncates`
}

func (a *atlas) saveScale() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	/* want `there is no check "tornwrite/inplaced"` */                 //lockvet:ignore tornwrite/inplaced the variant is misspelt
	return os.WriteFile(filepath.Join(a.dir, "scale.json"), data, 0o600) // want `\(\*atlas\)\.saveScale truncates`
}

/* want `names no check and no reason` */ //lockvet:ignore

/* want `there is no directive "ignored"` */ //lockvet:ignored tornwrite the directive is misspelt
func (a *atlas) len() int                     { return len(a.Maps) }

// ok: a word of lockvet: that is no directive
// lockvet: ignored for years
func (a *atlas) cap() int { return cap(a.Maps) }

func (a *atlas) savePocket() error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	/* want `a blank follows the slashes: the comment is no directive "ignore"` */ // lockvet:ignore tornwrite the installer writes it once
	return os.WriteFile(filepath.Join(a.dir, "pocket.json"), data, 0o600)                   // want `\(\*atlas\)\.savePocket truncates`
}
