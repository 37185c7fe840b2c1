// Package stale saves objects as they were loaded before.
package stale

import (
	"encoding/json"
	"os"
	"path/filepath"

	"lostupdate/across/machine"
)

// start has the lock of the machine, and its content from before.
func start(c *machine.Config, boot func() error) error {
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	c.Starting = true
	if err := c.Write(); err != nil { // want `start takes the lock of the Config c, and saves it as it was loaded before that: what another process has saved since is lost`
		return err
	}
	defer func() {
		c.Starting = false
		c.Write()
	}()
	return boot()
}

// stop leaves the change to a helper.
func stop(c *machine.Config) error {
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	return stopLocked(c) // want `stop takes the lock of the Config c, and saves it as it was loaded before that`
}

func stopLocked(c *machine.Config) error {
	c.Starting = false
	return c.Write()
}

// resize loads it again.
func resize(c *machine.Config, cpus int) error {
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	if err := c.Refresh(); err != nil {
		return err
	}
	c.CPUs = cpus
	return c.Write()
}

// flush saves what others have changed under the lock.
func flush(c *machine.Config) error {
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	return c.Write()
}

// bare is called with the lock, or without: nothing shows which.
func bare(c *machine.Config) error {
	c.CPUs++
	return c.Write()
}

// initMachine makes the machine that it is given.
func initMachine(c *machine.Config, cpus int) error {
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	c.CPUs = cpus
	return c.Write()
}

// A vm has no lock. That it asks its file for its state shows that others change it.
type vm struct {
	Name     string
	Starting bool
	Rootful  bool
	dir      string
}

func (v *vm) file() string { return filepath.Join(v.dir, "vm-config.json") }

func open(dir string) (*vm, error) {
	v := &vm{dir: dir}
	return v, v.update()
}

func (v *vm) update() error {
	data, err := os.ReadFile(v.file())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

func (v *vm) write() error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replace(v.file(), data)
}

func (v *vm) running() (bool, error) {
	if err := v.update(); err != nil {
		return false, err
	}
	return !v.Starting, nil
}

func (v *vm) start() error {
	v.Starting = true
	return v.write() // want `\(\*vm\).start saves the vm v as it was loaded before it was called: what another process has saved since is lost`
}

// migrate loads it for rename, which nobody else calls.
func (v *vm) migrate(name string) error {
	unlock, err := lock(v.file())
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.update(); err != nil {
		return err
	}
	return v.rename(name)
}

func (v *vm) rename(name string) error {
	v.Name = name
	return v.write()
}

// setRootful asks first, under a lock.
func (v *vm) setRootful(rootful bool) error {
	unlock, err := lock(v.file())
	if err != nil {
		return err
	}
	defer unlock()
	running, err := v.running()
	if err != nil || running {
		return err
	}
	v.Rootful = rootful
	return v.write()
}

// A ledger is loaded when it is opened, and kept for as long as the program runs.
type ledger struct {
	path string
	sums map[string]int
}

func openLedger(path string) (*ledger, error) {
	l := &ledger{path: path, sums: map[string]int{}}
	return l, l.load()
}

func (l *ledger) load() error {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &l.sums)
}

func (l *ledger) save() error {
	data, err := json.Marshal(l.sums)
	if err != nil {
		return err
	}
	return replace(l.path, data)
}

// add has the lock, and what was there when the ledger was opened.
func (l *ledger) add(name string, n int) error {
	unlock, err := lock(l.path)
	if err != nil {
		return err
	}
	defer unlock()
	l.sums[name] += n
	return l.save() // want `\(\*ledger\).add takes the lock of the ledger l, and saves it as it was loaded before that`
}

// drop loads it first.
func (l *ledger) drop(name string) error {
	unlock, err := lock(l.path)
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.load(); err != nil {
		return err
	}
	delete(l.sums, name)
	return l.save()
}

// A counter is never loaded: nothing of others is in it.
type counter struct {
	path string
	n    map[string]int
}

func (c *counter) add(name string) error {
	unlock, err := lock(c.path)
	if err != nil {
		return err
	}
	defer unlock()
	c.n[name]++
	data, err := json.Marshal(c.n)
	if err != nil {
		return err
	}
	return replace(c.path, data)
}

// A net is loaded where it is there, and made where it is not.
type net struct {
	dir   string
	addrs map[string]string
}

func (n *net) load() error {
	data, err := os.ReadFile(filepath.Join(n.dir, "net-state.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &n.addrs)
}

func (n *net) save() error {
	data, err := json.Marshal(n.addrs)
	if err != nil {
		return err
	}
	return replace(filepath.Join(n.dir, "net-state.json"), data)
}

func (n *net) get(up bool) error {
	if up {
		return n.load()
	}
	n.addrs = map[string]string{"lo": "127.0.0.1"}
	return n.save()
}
