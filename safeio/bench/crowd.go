//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A crowd is processes with goroutines that all update one file.
const (
	crowdProcesses  = 4
	crowdGoroutines = 4
)

// crowds is updates under contention.
func crowds() contest {
	c := updates()
	c.title = fmt.Sprintf("Updates of one file by %d processes with %d goroutines each", crowdProcesses, crowdGoroutines)
	c.unit, c.rounds, c.measure = perSecond, 21, crowded
	for i := range c.contenders {
		c.contenders[i].bound = 0
	}
	c.contenders[2].bound = 3
	return c
}

// crowded is the updates per second of a crowd. It fails if one was lost: the
// number in the file must be how many were acknowledged.
func crowded(c contest, who contender, path string, o options) (float64, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	var crowd []*member
	for range crowdProcesses {
		m, err := startMember(who.name, path, o.crowd)
		if err != nil {
			return 0, errors.Join(err, dismiss(crowd))
		}
		crowd = append(crowd, m)
	}
	total := 0
	for _, m := range crowd {
		fmt.Fprintln(m.start) // all of them are there
	}
	for i, m := range crowd {
		n, err := m.end()
		if err != nil {
			return 0, errors.Join(err, dismiss(crowd[i+1:]))
		}
		total += n
	}
	return float64(total) / o.crowd.Seconds(), c.check(path, total)
}

// A member is a process of a crowd.
type member struct {
	cmd   *exec.Cmd
	start io.WriteCloser
	out   *bufio.Reader
	said  *bytes.Buffer
}

// startMember returns when the member waits for its start.
func startMember(contender, path string, length time.Duration) (*member, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m := &member{cmd: exec.Command(exe, errand, "crowd", contender, path, length.String()), said: new(bytes.Buffer)}
	m.cmd.Stderr = m.said
	if m.start, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	m.out = bufio.NewReader(out)
	if _, err := m.out.ReadString('\n'); err != nil {
		return nil, errors.Join(err, dismiss([]*member{m}))
	}
	return m, nil
}

// end waits for the member and returns how many updates it had acknowledged.
func (m *member) end() (int, error) {
	text, err := m.out.ReadString('\n')
	if gone := m.cmd.Wait(); gone != nil {
		return 0, fmt.Errorf("%w: %s", gone, m.said)
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(text))
}

// dismiss ends members that are not needed any more.
func dismiss(crowd []*member) error {
	var errs []error
	for _, m := range crowd {
		errs = append(errs, m.cmd.Process.Kill())
		m.cmd.Wait()
	}
	return errors.Join(errs...)
}

// attend is what a member does: it says that it is there, waits for the start,
// updates until the time is over, and says how often.
func attend(who contender, path string, length time.Duration, in io.Reader, out io.Writer) error {
	fmt.Fprintln(out, "ready")
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	end := time.Now().Add(length)
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	failures := make(chan error, crowdGoroutines)
	for range crowdGoroutines {
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := who.op(path); err != nil {
					failures <- err
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	wg.Wait()
	close(failures)
	if err := <-failures; err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, acknowledged.Load())
	return err
}
