package reloaded

import "lostupdate/reloaded/creds"

// build refreshes what it has asked for, by a function that loads it itself.
func build(token string) error {
	ok, err := creds.Check()
	if err != nil || !ok {
		return err
	}
	return creds.Refresh(token)
}
