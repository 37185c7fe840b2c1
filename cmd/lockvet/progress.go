package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// A progress is one line on a terminal that says what is being done. It is
// nothing anywhere else.
type progress struct {
	w io.Writer // nil: nowhere
}

func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &progress{f}
	}
	return &progress{}
}

func (p *progress) step(what string) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[Klockvet: %s …", what)
	}
}

func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
