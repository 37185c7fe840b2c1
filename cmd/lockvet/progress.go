package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress says on standard error what is being done: on a terminal in a line that changes, elsewhere
// in a line now and then. A run that is soon over says nothing.
type progress struct {
	w        io.Writer // nil: nowhere
	terminal bool
	notice   time.Duration // after which something is said where there is no terminal
	start    time.Time

	mu    sync.Mutex
	what  string
	shown string // the line that stands on the terminal; empty for none
	steps []step // so far
	next  *time.Timer
}

// On a terminal the line stands for a run that takes longer than patience, and changes so often that one
// can read it.
const (
	patience = time.Second
	interval = 100 * time.Millisecond
)

func newProgress(w io.Writer, notice time.Duration) *progress {
	p := &progress{start: time.Now(), notice: notice}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w, p.terminal = w, true
	} else if w != io.Discard && notice > 0 {
		p.w = w
	}
	return p
}

// A step is a part of a run.
type step struct {
	what  string
	since time.Time
}

// took says of each step how long it took, and how long all took.
func (p *progress) took() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var lines []string
	for i, s := range p.steps {
		until := now
		if i+1 < len(p.steps) {
			until = p.steps[i+1].since
		}
		lines = append(lines, fmt.Sprintf("%6.2f s: %s", until.Sub(s.since).Seconds(), s.what))
	}
	return append(lines, fmt.Sprintf("%6.2f s in all", now.Sub(p.start).Seconds()))
}

// step says what is done from now on.
func (p *progress) step(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.steps = what, append(p.steps, step{what, time.Now()})
	first := p.notice
	if p.terminal {
		first = patience
	}
	if p.w != nil && p.next == nil {
		p.next = time.AfterFunc(max(first-time.Since(p.start), 0), p.tick)
	}
}

// count says how much of a step is done.
func (p *progress) count(what string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = fmt.Sprintf("%s: %d of %d, %d %%", what, done, total, 100*done/max(total, 1))
}

// tick writes the line. Elsewhere than on a terminal each waits twice as long as the one before, so that a log of hours
// has few.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil { // it was cleared meanwhile
		return
	}
	took, wait := time.Since(p.start).Truncate(time.Second), interval
	line := "lockvet: " + p.what
	if p.terminal && took >= p.notice {
		line += fmt.Sprintf(" (%v)", took)
	}
	switch {
	case !p.terminal:
		fmt.Fprintf(p.w, "%s (%v so far)\n", line, took)
		wait = time.Since(p.start)
	case line != p.shown:
		fmt.Fprintf(p.w, "\r\x1b[K%s …", line)
		p.shown = line
	}
	p.next = time.AfterFunc(wait, p.tick)
}

// clear takes the line away, and says nothing until the next step.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		p.next.Stop()
		p.next = nil
	}
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
}
