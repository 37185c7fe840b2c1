package memory

import (
	"errors"
	"sync"
)

// A child is known to others before it runs: they can ask for its channel.
type child struct {
	mu   sync.Mutex
	pid  int
	kind string
	done chan bool
}

func (c *child) Done() chan bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan bool)
	}
	return c.done
}

// Run has had the lock before it changes what others read under the lock.
func (c *child) Run(spawn func() (int, error)) error {
	c.kind = "child" // ok: it has not had the lock yet, and starts the goroutine of the child
	c.mu.Lock()
	if c.done == nil {
		c.done = make(chan bool)
	}
	c.mu.Unlock()
	pid, err := spawn()
	if err != nil {
		return err
	}
	c.pid = pid // want `\(\*child\).Run changes c.pid after it has released c.mu`
	go func() {
		<-c.Done()
		c.interrupt()
	}()
	return nil
}

func (c *child) interrupt() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid == 0 {
		return errors.New("no " + c.kind)
	}
	return nil
}

func (c *child) terminate() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	println(c.kind, c.pid)
	return nil
}
