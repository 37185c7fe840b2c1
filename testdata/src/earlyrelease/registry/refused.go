package registry

import (
	"os"
	"sync"
)

// A pool waits for its clean-up under the mutex.
type pool struct {
	gate sync.Mutex
	used map[string]bool
	wg   sync.WaitGroup
}

func (p *pool) take(path string) error {
	p.gate.Lock()
	defer p.gate.Unlock()
	if p.used[path] {
		return os.ErrExist
	}
	p.used[path] = true
	f, err := os.Create(path + ".slot")
	if err != nil {
		return err
	}
	return f.Close()
}

func (p *pool) drain() {
	p.gate.Lock()
	defer p.gate.Unlock()
	p.wg.Wait()
}

func (p *pool) give(path string) {
	p.gate.Lock()
	delete(p.used, path) // want `give deletes the file's entry in p.used .*\(no fix: a function waits under the mutex that the goroutine would take`
	p.gate.Unlock()
	p.wg.Go(func() {})
	go func() {
		os.Remove(path + ".slot")
	}()
}

// renamed has another path by the time that the clean-up has ended.
func (p *pool) renamed(path string) {
	p.gate.Lock()
	delete(p.used, path) // want `renamed deletes the file's entry in p.used .*\(no fix: what names the claim is assigned to`
	p.gate.Unlock()
	path += ".slot"
	os.Remove(path)
}

// nested locks once more before the clean-up.
func (p *pool) nested(path string) {
	p.gate.Lock()
	delete(p.used, path) // want `nested deletes the file's entry in p.used .*\(no fix: a lock is taken before the clean-up has ended`
	p.gate.Unlock()
	p.gate.Lock()
	defer p.gate.Unlock()
	os.Remove(path + ".slot")
}

// each can end early, once for every path.
func (p *pool) each(paths []string) error {
	for _, path := range paths {
		p.gate.Lock()
		delete(p.used, path) // want `each deletes the file's entry in p.used .*\(no fix: the clean-up can end early, in a loop`
		p.gate.Unlock()
		if err := os.Remove(path + ".slot"); err != nil {
			return err
		}
	}
	return nil
}

// held has the mutex until it returns; the goroutine has not.
func (p *pool) held(path string) {
	p.gate.Lock()
	defer p.gate.Unlock()
	delete(p.used, path) // want `held deletes the file's entry in p.used before a goroutine removes path.slot.*\(no fix: other statements share the mutex`
	go func() {
		os.Remove(path + ".slot")
	}()
}
