package elsewhere

import "lostupdate/elsewhere/account"

type server struct{ accountPath string }

// rename has a name for one of the two files: the lock stands beside that.
func (s *server) rename(name string) error {
	a, err := account.Load(s.accountPath)
	if err != nil {
		return err
	}
	a.Name = name
	return account.Save(s.accountPath, a) // want `rename loads s.accountPath, changes it`
}
