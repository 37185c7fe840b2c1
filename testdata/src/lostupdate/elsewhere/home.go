package elsewhere

import "lostupdate/elsewhere/home"

// paint has both halves from a package whose file the environment chooses.
func paint(theme string) error {
	s, err := home.Load()
	if err != nil {
		return err
	}
	s.Theme = theme
	return home.Save(s) // want `paint loads .*XDG_CONFIG_HOME.*, changes it and saves it with no lock`
}
