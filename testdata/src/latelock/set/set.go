// Package set has a screen that is set once.
package set

import (
	"log"
	"sync"
)

type screen struct{ lines []string }

func (s *screen) send(line string) { s.lines = append(s.lines, line) }

var (
	mu   sync.Mutex
	ui   *screen
	lost string
)

// Start sets it.
func Start() {
	mu.Lock()
	defer mu.Unlock()
	ui = &screen{}
}

// Clear uses it under the lock.
func Clear() {
	mu.Lock()
	defer mu.Unlock()
	if ui != nil {
		ui.lines = nil
	}
}

// Lines reads it under the lock.
func Lines() int {
	mu.Lock()
	defer mu.Unlock()
	if ui == nil {
		return 0
	}
	return len(ui.lines)
}

// Count does, too.
func Count() int {
	mu.Lock()
	defer mu.Unlock()
	return len(ui.lines)
}

// Quit leaves where there is none.
func Quit() {
	if ui == nil {
		log.Println("no screen")
		return
	}
	mu.Lock()
	defer mu.Unlock()
	ui.send("bye")
}

// Send keeps what it cannot send, and nobody looks for it again.
func Send(line string) {
	if ui == nil { // want `Send looks at ui before it takes mu`
		lost += line
		return
	}
	mu.Lock()
	defer mu.Unlock()
	ui.send(line)
}

// Report tells another function, which may change what others look at.
func Report(line string) {
	if ui == nil { // want `Report looks at ui before it takes mu`
		keep(line)
		return
	}
	mu.Lock()
	defer mu.Unlock()
	ui.send(line)
}

func keep(line string) { lost += line }

// A panel can be closed again.
type panel struct {
	mu   sync.Mutex
	view *screen
}

func (p *panel) open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view = &screen{}
}

func (p *panel) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view = nil
}

func (p *panel) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view.lines = nil
}

func (p *panel) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.view.lines)
}

// send finds it there, and it may be gone when it has the lock.
func (p *panel) send(line string) {
	if p.view == nil { // want `\(\*panel\).send looks at p.view before it takes p.mu`
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view.send(line)
}
