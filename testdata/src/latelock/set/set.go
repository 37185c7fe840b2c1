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
