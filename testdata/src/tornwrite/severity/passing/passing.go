// Package passing writes what is soon written again: nobody wants to wait for a disk there.
package passing

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

type beat struct{ At int64 }

func load(path string) (b beat, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

// Alive reads what touchHeartbeat writes.
func Alive(dir string) (beat, error) { return load(filepath.Join(dir, "alive.json")) }

func touchHeartbeat(dir string, at int64) error {
	data, err := json.Marshal(beat{at})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "alive.json"), data, 0o644) /* warning */ // want `touchHeartbeat truncates`
}

// Prices reads what keepPrices writes.
func Prices(dir string) (beat, error) { return load(filepath.Join(dir, "price-cache.json")) }

func keepPrices(dir string, b beat) error {
	f, err := os.Create(filepath.Join(dir, "price-cache.json")) /* warning */ // want `keepPrices truncates`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(b)
}

// Rates reads what keepRates writes.
func Rates(dir string) (beat, error) { return load(filepath.Join(dir, "rates-cache.json")) }

func keepRates(dir string, b beat) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "rates-cache.json")
	if err := os.WriteFile(path+".tmp", data, 0o600); err != nil { /* warning */ // want `a name that every writer shares`
		return err
	}
	return os.Rename(path+".tmp", path)
}

// Icons reads what keepIcons writes.
func Icons(dir string) (beat, error) { return load(filepath.Join(dir, "icon-cache.json")) }

// keepIcons puts it in place as a whole, which is enough.
func keepIcons(dir string, b beat) error {
	tmp, err := os.CreateTemp(dir, ".icons-*")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(tmp).Encode(b); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, "icon-cache.json"))
}

// Token reads what is no cache, whatever the file is named.
func Token(dir string) (beat, error) { return load(filepath.Join(dir, "token-cache.json")) }

func keepToken(dir string, b beat) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "token-cache.json"), data, 0o600) /* error */ // want `keepToken truncates`
}

// rootCache is what root has found.
var rootCache string

func root() string {
	if rootCache == "" {
		rootCache, _ = os.Getwd()
	}
	return rootCache
}

// Roster reads what keepRoster writes.
func Roster() (beat, error) { return load(filepath.Join(root(), "roster.json")) }

func keepRoster(b beat) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root(), "roster.json"), data, 0o600) /* error */ // want `keepRoster truncates`
}

// Teams reads what cacheAddress writes.
func Teams(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "teams.json"))
	if err != nil {
		return nil, err
	}
	var teams map[string]string
	return teams, json.Unmarshal(data, &teams)
}

// cacheAddress adds to a file that holds more.
func cacheAddress(dir, team, address string) error {
	teams, err := Teams(dir)
	if err != nil {
		return err
	}
	teams[team] = address
	data, err := json.Marshal(teams)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "teams.json"), data, 0o600) /* warning note */ // want `cacheAddress truncates` `cacheAddress loads`
}

type breaker struct{ filePath string }

func newBreaker(name string) *breaker {
	return &breaker{filePath: filepath.Join("/tmp/breakers", name+".json")}
}

// Open reads what trip writes.
func (b *breaker) open() (beat, error) { return load(b.filePath) }

func (b *breaker) trip(at int64) error {
	data, err := json.Marshal(beat{at})
	if err != nil {
		return err
	}
	return os.WriteFile(b.filePath, data, 0o600) /* warning */ // want `trip truncates`
}

var _ = newBreaker

type heartbeatScheduler struct{ path string }

func (h *heartbeatScheduler) load() (beat, error) { return load(h.path) }

// persist writes what the user has set.
func (h *heartbeatScheduler) persist(b beat) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(h.path, data, 0o600) /* error */ // want `persist truncates`
}

// saveLogin writes what a user got by a login. That it is in a folder of caches says that the
// program can ask for another one: not that it is there at once.
func saveLogin(cacheDir string, jsonToken []byte) error {
	return os.WriteFile(filepath.Join(cacheDir, "sso", "session.json"), jsonToken, 0o600) /* warning */ // want `saveLogin truncates`
}

func login(cacheDir string) (v any, err error) {
	data, err := os.ReadFile(filepath.Join(cacheDir, "sso", "session.json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(data, &v)
}

// writeAtomic replaces any file by a new one, and does not sync it.
func writeAtomic(dest string, r io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(dest), filepath.Base(dest)+".*")
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if err := f.Close(); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), dest)
}

// A diskCache has what can be made again: it alone calls writeAtomic.
type diskCache struct{ dir string }

func (c *diskCache) put(id string, body io.Reader) error {
	return writeAtomic(filepath.Join(c.dir, id[:2], id+"-d"), body)
}

// replaceAtomic is as writeAtomic, and has others that call it, too.
func replaceAtomic(dest string, r io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(dest), filepath.Base(dest)+".*") // want `replaceAtomic renames a file over dest that was never synced`
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if err := f.Close(); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), dest)
}

func (c *diskCache) index(names io.Reader) error {
	return replaceAtomic(filepath.Join(c.dir, "index"), names)
}

// KeepDiary is one of those.
func KeepDiary(dir string, text io.Reader) error {
	return replaceAtomic(filepath.Join(dir, "diary"), text)
}
