// Package elsewhere touches no file itself.
package elsewhere

import "lostupdate/elsewhere/store"

func enter(dir, id string) error {
	s, err := store.Load(dir)
	if err != nil {
		return err
	}
	s.Open[id] = "here"
	return store.Save(dir, s) // want `enter loads dir/state/sessions.json, changes it and saves it with no lock`
}
