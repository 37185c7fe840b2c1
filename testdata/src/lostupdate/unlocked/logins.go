package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type grant struct{ ID, Refresh string }

type logins struct{ TokenCacheDir, thumbCacheDir string }

func grantIn(dir, issuer string) (*grant, error) {
	data, err := os.ReadFile(filepath.Join(dir, issuer+".json"))
	if err != nil {
		return nil, err
	}
	g := &grant{}
	return g, json.Unmarshal(data, g)
}

func keepGrant(dir, issuer string, g *grant) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return replaceGrant(filepath.Join(dir, issuer+".json"), data)
}

func replaceGrant(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".grant-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// renew loses a login where another process renews it at the same time: the user has to log in again.
func (l *logins) renew(issuer string) error {
	g, err := grantIn(l.TokenCacheDir, issuer)
	if err != nil {
		return err
	}
	g.ID += g.Refresh
	return keepGrant(l.TokenCacheDir, issuer, g) // want `renew loads l.TokenCacheDir/issuer.json, changes it and saves it with no lock`
}

// retouch loses what can be made again.
func (l *logins) retouch(issuer string) error {
	g, err := grantIn(l.thumbCacheDir, issuer)
	if err != nil {
		return err
	}
	g.ID += g.Refresh
	return keepGrant(l.thumbCacheDir, issuer, g) // ok: it is a cache
}
