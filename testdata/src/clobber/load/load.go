package load

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type account struct{ Email string }

type accounts struct {
	Default  string
	Accounts map[string]account
}

func newAccounts() *accounts { return &accounts{Accounts: map[string]account{}} }

func loadAccounts(path string) (*accounts, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var a accounts
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

func saveAccounts(path string, a *accounts) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// addAccount makes of every error a first account.
func addAccount(town, handle, email string) error {
	path := filepath.Join(town, "mayor", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a, err := loadAccounts(path) // want `addAccount takes a file that cannot be loaded for an empty one, and saves that over town/mayor/accounts.json`
	if err != nil {
		a = newAccounts()
	}
	a.Accounts[handle] = account{email}
	return saveAccounts(path, a)
}

// stop tells a value that is missing from none by the value alone.
func stop(town string) error {
	path := filepath.Join(town, "state", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a, _ := loadAccounts(path) // want `stop takes a file`
	if a == nil {
		a = &accounts{}
	}
	a.Default = ""
	return saveAccounts(path, a)
}

// A routes has in memory what its file holds.
type routes struct {
	mu     sync.Mutex
	path   string
	routes map[string]time.Time
}

func newRoutes(path string) *routes {
	r := &routes{path: path, routes: map[string]time.Time{}}
	_ = r.load() // want `newRoutes takes a file that cannot be loaded for an empty one, and \(\*routes\).put saves that over r.path`
	return r
}

func (r *routes) load() error {
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.routes)
}

func (r *routes) put(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routes[id] = time.Now()
	data, err := json.Marshal(r.routes)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

// A tracker is made by a function that could say what is wrong.
type tracker struct {
	dir   string
	state trackerState
}

type trackerState struct{ Restarts map[string]int }

func (t *tracker) file() string { return filepath.Join(t.dir, "daemon", "restarts.json") }

func newTracker(dir string) (*tracker, error) {
	t := &tracker{dir: dir}
	if err := t.load(); err != nil { // want `newTracker takes a file.*no fix: .*by what it does where it cannot load it`
		log.Printf("restarts are lost: %v", err)
	}
	return t, nil
}

func (t *tracker) load() error {
	f, err := os.Open(t.file())
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewDecoder(f).Decode(&t.state)
}

func (t *tracker) save() error {
	data, err := json.Marshal(t.state)
	if err != nil {
		return err
	}
	return replace(t.file(), data)
}

// current has two ends without the error.
func current(town string) *accounts {
	a, err := loadAccounts(filepath.Join(town, "current", "accounts.json")) // want `current takes a file`
	if err == nil {
		return a
	}
	if os.Getenv("AGENT_ACCOUNT") == "" {
		return newAccounts()
	}
	return &accounts{Default: os.Getenv("AGENT_ACCOUNT"), Accounts: map[string]account{}}
}

func choose(town, handle string) error {
	path := filepath.Join(town, "current", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a := current(town)
	a.Default = handle
	return saveAccounts(path, a)
}

// told knows a missing file, and takes every other error for one, too.
func told(town, handle string) error {
	path := filepath.Join(town, "told", "accounts.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	a, err := loadAccounts(path) // want `told takes a file`
	if errors.Is(err, fs.ErrNotExist) {
		a = newAccounts()
	} else if err != nil {
		log.Printf("accounts: %v", err)
		a = newAccounts()
	}
	a.Default = handle
	return saveAccounts(path, a)
}

var errBroken = errors.New("the team is broken")

type team struct{ Members []string }

func loadTeam(path string) (team, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return team{}, err
	}
	var t team
	if json.Unmarshal(data, &t) != nil {
		return team{}, errBroken
	}
	return t, nil
}

// join takes a team that is broken for one without members.
func join(dir, name string) error {
	path := filepath.Join(dir, "state", "team.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	t, _ := loadTeam(path) // want `join takes a file`
	t.Members = append(t.Members, name)
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(path, data)
}

type crew struct{ Names []string }

func (c *crew) load(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "crew.json"))
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	return json.Unmarshal(data, c)
}

func (c *crew) save(dir string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "crew.json"), data)
}

// hire warns, and goes on as it was meant to.
func hire(dir, name string) error {
	unlock, err := lock(filepath.Join(dir, "crew.json"))
	if err != nil {
		return err
	}
	defer unlock()
	var c crew
	if err := c.load(dir); err != nil { // want `hire takes a file that cannot be loaded for an empty one.*no fix: .*by what it does where it cannot load it`
		log.Printf("Warning: no crew: %v", err)
	}
	c.Names = append(c.Names, name)
	return c.save(dir)
}

// dismiss only says so, and a crew that is missing is none for load.
func dismiss(dir string) error {
	unlock, err := lock(filepath.Join(dir, "crew.json"))
	if err != nil {
		return err
	}
	defer unlock()
	var c crew
	if err := c.load(dir); err != nil { // want `dismiss takes a file that cannot be loaded for an empty one.*no fix: .*by what it does where it cannot load it`
		log.Printf("load the crew: %v", err)
	}
	c.Names = nil
	return c.save(dir)
}

// A Board is loaded by other packages, too, which may take any error for a missing one.
type Board struct{ Cards []string }

// LoadBoard gives every error to its callers.
func LoadBoard(dir string) (*Board, error) {
	data, err := os.ReadFile(filepath.Join(dir, "state", "board.json"))
	if err != nil {
		return nil, err
	}
	var b Board
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	return &b, nil
}

func pin(dir, card string) error {
	unlock, err := lock(filepath.Join(dir, "state", "board.json"))
	if err != nil {
		return err
	}
	defer unlock()
	b, err := LoadBoard(dir) // want `pin takes a file that cannot be loaded.*no fix: other packages call LoadBoard`
	if err != nil {
		b = &Board{}
	}
	b.Cards = append(b.Cards, card)
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "state", "board.json"), data)
}
