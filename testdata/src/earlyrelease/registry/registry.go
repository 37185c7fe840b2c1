package registry

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

type claims struct {
	mu   sync.Mutex
	held map[string]*claim
	wg   sync.WaitGroup
}

type claim struct {
	of   *claims
	key  string
	path string
	file *os.File
}

func (c *claims) take(key string) (*claim, error) {
	k := &claim{of: c, key: key, path: key + ".lock"}
	c.mu.Lock()
	if _, taken := c.held[key]; taken {
		c.mu.Unlock()
		return nil, os.ErrExist
	}
	c.held[key] = k
	c.mu.Unlock()
	f, err := os.OpenFile(k.path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	k.file = f
	return k, err
}

func (c *claims) forget(k *claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, k.key)
}

// inOrder cleans up after it has let the next one in.
func (k *claim) inOrder() {
	c := k.of
	// Let the next one in.
	c.mu.Lock()
	delete(c.held, k.key) // want `inOrder deletes the file's entry in k.of.held before it removes k.path: .*take can make the file again`
	c.mu.Unlock()

	k.file.Close()
	os.Remove(k.path)
}

// background does so in a goroutine.
func (k *claim) background() {
	c := k.of
	c.mu.Lock()
	delete(c.held, k.key) // want `background deletes the file's entry in k.of.held before a goroutine removes k.path`
	c.mu.Unlock()

	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		k.file.Close()
		os.Remove(k.path)
	}()
}

// early can end before the file is removed.
func (k *claim) early() error {
	c := k.of
	c.mu.Lock()
	delete(c.held, k.key) // want `early deletes the file's entry in k.of.held`
	c.mu.Unlock()
	if err := k.file.Close(); err != nil {
		return err
	}
	return os.Remove(k.path)
}

// helper gives the claim up through a method.
func (k *claim) helper() {
	k.of.forget(k) // want `helper deletes the file's entry in k.of.held`
	k.file.Close()
	os.Remove(k.path)
}

// timer cleans up a while later.
func (k *claim) timer() {
	c := k.of
	c.mu.Lock()
	delete(c.held, k.key) // want `timer deletes the file's entry in k.of.held before it removes k.path`
	c.mu.Unlock()
	time.AfterFunc(time.Second, func() {
		if err := os.Remove(k.path); err != nil {
			return
		}
	})
}

// once hands its clean-up over.
func (k *claim) once(o *sync.Once) {
	c := k.of
	c.mu.Lock()
	delete(c.held, k.key) // want `once deletes the file's entry in k.of.held .*\(no fix: the clean-up stands in a function literal`
	c.mu.Unlock()
	o.Do(func() { os.Remove(k.path) })
}

// apart has the clean-up in a goroutine that is a method.
func (k *claim) apart() {
	c := k.of
	c.mu.Lock()
	delete(c.held, k.key) // want `apart deletes the file's entry in k.of.held .*\(no fix: the goroutine that cleans up is a function of its own`
	c.mu.Unlock()
	go k.clean()
}

func (k *claim) clean() {
	k.file.Close()
	os.Remove(k.path)
}

// shared does more under the mutex, which cannot be moved as a whole.
func (k *claim) shared() {
	c := k.of
	c.mu.Lock()
	held := c.held[k.key]
	delete(c.held, k.key) // want `shared deletes the file's entry in k.of.held .*\(no fix: other statements share the mutex with it`
	c.mu.Unlock()
	if held == k {
		os.Remove(k.path)
	}
}

// slots are a registry that needs no mutex.
type slots struct {
	dir  string
	used sync.Map
}

func (s *slots) take(name string) (*os.File, error) {
	if _, taken := s.used.LoadOrStore(name, true); taken {
		return nil, os.ErrExist
	}
	return os.Create(filepath.Join(s.dir, name+".slot"))
}

func (s *slots) release(name string) {
	s.used.Delete(name) // want `release deletes the file's entry in s.used before it removes s.dir/name.slot`
	os.Remove(filepath.Join(s.dir, name+".slot"))
}
