package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// A wire is a connection on which a test writes what it wants.
type wire struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	served chan error
}

func newWire(t *testing.T, e *engine) *wire {
	e.t = t
	fromServer, w := io.Pipe()
	r, toServer := io.Pipe()
	l := &wire{t, toServer, bufio.NewReader(fromServer), make(chan error, 1)}
	go func() {
		l.served <- lsp.Serve(context.Background(), r, w, lsp.Config{NewEngine: func([]string) (lsp.Engine, error) { return e, nil }})
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return l
}

// send writes a message, or what is none.
func (l *wire) send(text string) {
	l.t.Helper()
	if _, err := fmt.Fprintf(l.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		l.t.Fatal(err)
	}
}

// An answer is what the server writes, in part.
type answer struct {
	ID     any
	Method string
	Error  *jsonrpc2.Error
}

func (l *wire) receive() (a answer) {
	l.t.Helper()
	header, err := l.out.ReadString('\n')
	_, value, _ := strings.Cut(strings.TrimSpace(header), ": ")
	length, err2 := strconv.Atoi(value)
	text := make([]byte, len("\r\n")+length)
	_, err3 := io.ReadFull(l.out, text)
	if err := errors.Join(err, err2, err3, json.Unmarshal(text, &a)); err != nil {
		l.t.Fatalf("%v: %q%s", err, header, text)
	}
	return a
}

const (
	initialize = `{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}`
	shutdown   = `{"jsonrpc": "2.0", "id": "last", "method": "shutdown"}`
	exit       = `{"jsonrpc": "2.0", "method": "exit"}`
)

// An editor may read nothing until it has written all that it has to say.
func TestReadsLate(t *testing.T) {
	const messages = 100
	l := newWire(t, &engine{})
	l.send(initialize)
	l.receive()
	for range messages { // each makes the server write
		l.send(`{"jsonrpc": "2.0", "method": "` + protocol.DidOpen + `", "params": [1]}`)
	}
	l.send(shutdown)
	answered := false
	for range messages + 1 {
		a := l.receive()
		if answered = answered || a.ID == "last"; a.ID != "last" && a.Method != protocol.LogMessage {
			t.Fatalf("%+v", a)
		}
	}
	if !answered {
		t.Error("shutdown is not answered")
	}
	l.send(exit)
	if err := <-l.served; err != nil {
		t.Error(err)
	}
}

// An editor that asks twice for the end gets it once.
func TestExitsTwice(t *testing.T) {
	l := newWire(t, &engine{})
	l.send(initialize)
	l.receive()
	l.send(shutdown)
	l.receive()
	twice := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(exit), exit)
	if _, err := io.WriteString(l.in, twice+twice); err != nil {
		t.Fatal(err)
	}
	if err := <-l.served; err != nil {
		t.Error(err)
	}
}

// Of two requests with one ID, the second is refused while the first is not answered.
func TestSameID(t *testing.T) {
	of := &engine{began: make(chan struct{})}
	l := newWire(t, of)
	l.send(initialize)
	l.receive()
	why := `{"jsonrpc": "2.0", "id": "a", "method": "` + protocol.ExecuteCommand + `", "params": {"command": "lockvet.why", "arguments": [{"uri": "file:///a.go", "line": 98}]}}`
	l.send(why)
	<-of.began
	l.send(why)
	if a := l.receive(); a.ID != "a" || a.Error == nil || a.Error.Code != jsonrpc2.CodeInvalidRequest {
		t.Errorf("the second one: %+v", a)
	}
	l.send(`{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}}`)
	if a := l.receive(); a.ID != "a" || a.Error == nil || a.Error.Code != protocol.RequestCancelled {
		t.Errorf("the first one: %+v", a)
	}
	l.in.Close()
	select {
	case err := <-l.served:
		if !errors.Is(err, lsp.ErrNoShutdown) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
	}
}
