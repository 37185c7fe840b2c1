package across

import (
	"encoding/json"
	"os"
	"path/filepath"

	"clobber/across/files"
)

func sessionFile(dir string) string { return filepath.Join(dir, "state", "sessions.json") }

// enter has another package load what it saves.
func enter(dir, id string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	m := files.Load(sessionFile(dir)) // want `enter has files.Load take a file that cannot be loaded for an empty one, and saves that over dir/state/sessions.json.*no fix: a function of another package loses the error`
	m[id] = "open"
	return files.Save(sessionFile(dir), m)
}

// leave lets be what the other package says.
func leave(dir, id string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	m, err := files.Read(sessionFile(dir)) // want `leave takes a file that cannot be loaded`
	if err != nil {
		m = map[string]string{}
	}
	delete(m, id)
	return files.Save(sessionFile(dir), m)
}

// rename gives the error on.
func rename(dir, from, to string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	m, err := files.Read(sessionFile(dir))
	if err != nil {
		return err
	}
	m[to] = m[from]
	delete(m, from)
	return files.Save(sessionFile(dir), m)
}

// prefer makes settings of its own where the other package has none for it.
func prefer(dir, theme string) error {
	unlock, err := lock(files.SettingsFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	s := files.LoadSettings(dir) // want `prefer has files.LoadSettings take a file that cannot be loaded for an empty one, and saves that over dir/state/settings.json.*no fix: a function of another package loses the error`
	if s == nil {
		s = &files.Settings{}
	}
	s.Theme = theme
	return files.SaveSettings(dir, s)
}

// restyle does nothing where there are none.
func restyle(dir, theme string) error {
	unlock, err := lock(files.SettingsFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	s := files.LoadSettings(dir)
	if s == nil {
		return nil
	}
	s.Theme = theme
	return files.SaveSettings(dir, s)
}

// reset is told of the error, and leaves.
func reset(dir, theme string) error {
	unlock, err := lock(files.SettingsFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	s, err := files.ParseSettings(dir)
	if err != nil {
		return err
	}
	if s == nil {
		s = &files.Settings{}
	}
	s.Theme = theme
	return files.SaveSettings(dir, s)
}

// open has another package load a file of its own: what that loses is its own to tell.
func open(dir, id string) error {
	unlock, err := lock(filepath.Join(dir, "state", "windows.json"))
	if err != nil {
		return err
	}
	defer unlock()
	m := files.LoadWindows(dir)
	m[id] = "open"
	return files.SaveWindows(dir, m)
}

// grow stops where the file is broken: what it calls never returns.
func grow(dir, id string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(sessionFile(dir))
	if err != nil {
		return err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil {
		files.Stop("sessions are broken: %v", err)
	}
	m[id] = "open"
	return files.Save(sessionFile(dir), m)
}

// shrink goes on: what it calls stops for one error only.
func shrink(dir, id string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(sessionFile(dir))
	if err != nil {
		return err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil { // want `shrink takes a file that cannot be decoded for an empty one, and saves that over dir/state/sessions.json`
		files.Weigh(err)
	}
	delete(m, id)
	return files.Save(sessionFile(dir), m)
}

// clear goes on: what it calls catches what would stop it.
func clear(dir, id string) error {
	unlock, err := lock(sessionFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(sessionFile(dir))
	if err != nil {
		return err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil { // want `clear takes a file that cannot be decoded for an empty one, and saves that over dir/state/sessions.json`
		files.Attempt(err)
	}
	delete(m, id)
	return files.Save(sessionFile(dir), m)
}
