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

// backupOf makes a copy of a file.
func backupOf(path string) error { return replace(path+".old", nil) }

// rename has made a copy of another file.
func rename(town, from, to string) error {
	if err := backupOf(filepath.Join(town, "team", "names.json")); err != nil {
		return err
	}
	path := filepath.Join(town, "crew", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a, err := loadAccounts(path) // want `rename takes a file that cannot be loaded for an empty one`
	if err != nil {
		a = newAccounts()
	}
	a.Accounts[to] = a.Accounts[from]
	return saveAccounts(path, a)
}
