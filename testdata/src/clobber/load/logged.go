package load

import "path/filepath"

func warn(component, message string, fields map[string]any) {}

// revoke has the error in a line of the log.
func revoke(town, handle string) error {
	path := filepath.Join(town, "team", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a, err := loadAccounts(path) // want `revoke takes a file that cannot be loaded for an empty one`
	if err != nil {
		warn("accounts", "cannot be loaded", map[string]any{"path": path, "error": err})
		a = newAccounts()
	}
	delete(a.Accounts, handle)
	return saveAccounts(path, a)
}
