package safeio

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// FuzzUpdate makes the calls that the input describes, eight at a time, and
// compares what they saw, what they were told and what the file holds with a model.
func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		"", "aab", "abcdefgh", "hgfedcba", "iiabic", "kb", "jjll", "cccc",
		"!a", "!aeefgd", "A", "Aefdcab", "aeeeieg\x00afcbhbhb!bhbhaaAcaldb",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		dir := t.TempDir()
		m := &model{t: t, name: filepath.Join(dir, "state")}
		for len(input) > 0 && len(input) < 200 {
			n := 8
			if len(input) < n {
				n = len(input)
			}
			m.round(input[:n])
			input = input[n:]
		}
		wantOnly(t, dir, "state", ".safeio-state.lock")
		wantNoQueues(t)
	})
}

// What a letter stands for.
const (
	doAdd = iota
	doDrop
	doLeave
	doNil
	doOnly
	doFail
	doPanic
	doExit
	doCancel
	doings
)

var errModel = errors.New("the model's own")

// modelChange is the change that letter stands for. It spoils what it got.
func modelChange(letter byte, old []byte) (result []byte, err error) {
	result = bytes.Clone(old)
	for i := range old {
		old[i] = '!'
	}
	switch letter % doings {
	case doAdd:
		return append(result, letter), nil
	case doDrop:
		if len(result) > 0 {
			result = result[:len(result)-1]
		}
	case doNil:
		return nil, nil
	case doOnly:
		return []byte{letter}, nil
	case doFail:
		return result, errModel
	case doPanic:
		panic(errModel)
	case doExit:
		runtime.Goexit()
	}
	return result, nil
}

// A model is what the file should hold, and what happened in one round.
type model struct {
	t       *testing.T
	name    string
	content []byte // nil: no file
	doubt   bool   // the last write was published, perhaps not durable

	letters []byte
	events  []modelEvent
	write   error // what the writes of this round end with
}

// A modelEvent is a change that was called with old, or the end of a batch (-1).
type modelEvent struct {
	call int
	old  []byte
}

func (m *model) round(letters []byte) {
	m.letters, m.events = letters, nil
	var opts Options
	m.write, opts = nil, Options{}
	switch letters[0] >> 5 {
	case 1:
		m.write, opts = syscall.EIO, failing("sync", syscall.EIO)
	case 2:
		m.write, opts = ErrPublished, failing("syncdir", syscall.EIO)
	}
	step := opts.hook
	opts.hook = func(name string) error {
		if name == "unlock" {
			m.events = append(m.events, modelEvent{call: -1})
		}
		if step != nil {
			return step(name)
		}
		return nil
	}
	visits := make([]*visit, len(letters))
	for i, letter := range letters {
		visits[i] = &visit{change: func(old []byte) ([]byte, error) {
			m.events = append(m.events, modelEvent{i, bytes.Clone(old)})
			return modelChange(letter, old)
		}}
	}
	together(m.t, opts, m.name, func() {
		for i, letter := range letters {
			if letter%doings == doCancel {
				visits[i].cancel()
			}
		}
	}, visits...)
	m.replay(visits)
}

// replay holds what happened against the model.
func (m *model) replay(visits []*visit) {
	m.t.Helper()
	last := -1
	now := m.content
	want := make([]error, len(visits))
	called := make([]bool, len(visits))
	var pending []int
	for _, e := range m.events {
		if e.call < 0 { // the end of a batch
			if len(pending) > 0 && !m.settled(now) {
				for _, i := range pending {
					want[i] = m.write
				}
				if m.write != syscall.EIO {
					m.content, m.doubt = now, m.write != nil
				}
			}
			now, pending = m.content, nil
			continue
		}
		if e.call <= last {
			m.t.Errorf("%q: call %d after %d", m.letters, e.call, last)
		}
		last = e.call
		called[e.call] = true
		if !sameContent(e.old, now) {
			m.t.Errorf("%q: call %d got %q, want %q", m.letters, e.call, e.old, now)
		}
		letter := m.letters[e.call]
		switch letter % doings {
		case doPanic, doExit:
			continue
		}
		result, err := modelChange(letter, bytes.Clone(now))
		if want[e.call] = err; err != nil {
			continue
		}
		if result == nil && now != nil {
			result = []byte{}
		}
		if now = result; !m.settled(now) {
			pending = append(pending, e.call)
		}
	}
	for i, v := range visits {
		kind := m.letters[i] % doings
		if kind == doCancel {
			want[i] = context.Canceled
		}
		if called[i] == (kind == doCancel) {
			m.t.Errorf("%q: change %d called: %v", m.letters, i, called[i])
		}
		if !errors.Is(v.err, want[i]) || want[i] == nil && v.err != nil {
			m.t.Errorf("%q: call %d: %v, want %v", m.letters, i, v.err, want[i])
		}
		if (v.panicked != nil) != (kind == doPanic) || v.exited != (kind == doExit) {
			m.t.Errorf("%q: call %d: panicked %v, exited %v", m.letters, i, v.panicked, v.exited)
		}
	}
	target, err := locate(m.name)
	if err != nil {
		m.t.Fatal(err)
	}
	if content, _, _ := target.read(); !sameContent(content, m.content) {
		m.t.Errorf("%q: the file holds %q, want %q", m.letters, content, m.content)
	}
}

// settled reports whether the file can stay as it is if it is to hold now.
func (m *model) settled(now []byte) bool {
	return sameContent(now, m.content) && (now == nil || !m.doubt)
}

// sameContent tells no file from an empty one.
func sameContent(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
