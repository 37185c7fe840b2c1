package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A supervisor has the packages of a module analysed, by one process after the other.
type supervisor struct {
	options
	results *results
	module  module
	dir     string // of the copy of the module
}

// A message is what a worker prints: which package it begins with, and what came of
// that.
type message struct {
	Begin  string
	Result *record
}

// loading is how long a worker may take for anything that is not an analysis:
// downloads, parsing, types of what was analysed before.
const loading = time.Hour

// finish starts workers until one is through. One that is not has at least one package
// noted that the next one leaves out.
func (s *supervisor) finish(ctx context.Context) error {
	for {
		before := len(s.results.order)
		err := s.watch(ctx)
		if err == nil || ctx.Err() != nil || len(s.results.order) == before {
			return err
		}
	}
}

// watch runs one worker, for the packages named or for all that have no result. If it
// does not come to its end, that is an error, and noted for the package that it was at.
func (s *supervisor) watch(ctx context.Context, packages ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := filepath.Abs(s.out)
	if err != nil {
		return err
	}
	args := append([]string{"-work", s.dir, "-version", s.module.version, "-out", out, "-memory", fmt.Sprint(s.memory)}, packages...)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir, cmd.Env = s.dir, environ()
	var last head
	cmd.Stderr = &last
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	at, hung, err := s.listen(stdout)
	if hung || err != nil {
		cmd.Process.Kill()
	}
	died := cmd.Wait()
	switch {
	case err != nil || ctx.Err() != nil:
		return err
	case died == nil:
		return nil
	case at == "":
		return fmt.Errorf("%w: %s", died, last.Bytes())
	}
	r := record{Root: s.module.String(), Package: at, Hung: hung}
	if !hung {
		r.Died = fmt.Sprintf("%v: %s", died, last.Bytes())
	}
	if err := s.results.add(r); err != nil {
		return err
	}
	return fmt.Errorf("%s: the worker ended early", at)
}

// listen writes down what a worker tells. It returns the package that the worker was
// at when it ended, and whether it hangs there.
func (s *supervisor) listen(stdout io.Reader) (at string, hung bool, err error) {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		for in := bufio.NewReader(stdout); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	defer func() {
		go func() {
			for range lines { // lets the reader end
			}
		}()
	}()
	for {
		limit := loading
		if at != "" {
			limit = s.hang
		}
		select {
		case <-time.After(limit):
			return at, true, nil
		case line, ok := <-lines:
			if !ok {
				return at, false, nil
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				return at, false, fmt.Errorf("the worker said %q: %w", line, err)
			}
			at = m.Begin
			if m.Result == nil {
				continue
			}
			m.Result.Root = s.module.String()
			if err := s.results.add(*m.Result); err != nil {
				return at, false, err
			}
		}
	}
}

// A head keeps the beginning of what is written: a trace begins with what happened.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 6000 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
