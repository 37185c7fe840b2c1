package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress is one line on a terminal that says what is being done, from the first
// second of a run on. It is nothing anywhere else.
type progress struct {
	w     io.Writer // nil: nowhere
	start time.Time

	mu    sync.Mutex
	what  string
	shown time.Time
	after *time.Timer
}

// The line stands for a run that takes longer than patience, and changes so often that one
// can read it.
const (
	patience = time.Second
	interval = 100 * time.Millisecond
)

func newProgress(w io.Writer) *progress {
	p := &progress{start: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w = f
	}
	return p
}

// step says what is done from now on.
func (p *progress) step(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.w == nil {
		return
	}
	if wait := patience - time.Since(p.start); wait > 0 {
		if p.after == nil {
			p.after = time.AfterFunc(wait, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.show(p.what)
			})
		}
		return
	}
	p.show(what)
}

// count says how much of a step is done.
func (p *progress) count(what string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = fmt.Sprintf("%s: %d of %d, %d %%", what, done, total, 100*done/max(total, 1))
	if now := time.Now(); p.w != nil && now.Sub(p.start) > patience && now.Sub(p.shown) > interval {
		p.show(p.what)
	}
}

// show draws the line, if there is something to say.
func (p *progress) show(what string) {
	if what == "" {
		return
	}
	p.shown = time.Now()
	fmt.Fprintf(p.w, "\r\x1b[Klockvet: %s …", what)
}

// clear takes the line away, and shows none until the next step.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = ""
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = time.Time{}
	}
}
