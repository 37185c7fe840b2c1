// Package lsptest is an editor for tests of the language server: it speaks the protocol,
// keeps what it is told, and makes edits as editors do, on buffers and on files.
package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// patience is how long an editor waits for something before the test has failed.
const patience = 3 * time.Minute

// An Editor is a client of a server.
type Editor struct {
	t      testing.TB
	Result protocol.InitializeResult
	client *jsonrpc2.Conn
	calls  atomic.Uint64
	served chan error

	mu      sync.Mutex
	told    Told
	buffers map[string]*buffer
}

type buffer struct {
	text    string
	version int32
}

// Full are the capabilities of an editor that can do all that the server knows of.
func Full() *protocol.ClientCapabilities {
	var c protocol.ClientCapabilities
	c.TextDocument.Hover.ContentFormat = []string{protocol.Markdown}
	action := &c.TextDocument.CodeAction
	action.DataSupport, action.DisabledSupport = true, true
	action.ResolveSupport.Properties = []string{"edit"}
	c.Workspace.WorkspaceEdit.ResourceOperations = []string{protocol.Create, protocol.Delete}
	c.Workspace.DidChangeWatchedFiles.DynamicRegistration = true
	return &c
}

// Connect starts a server at the other end of two pipes.
func Connect(t testing.TB, serve func(context.Context, io.Reader, io.WriteCloser) error) *Editor {
	e := &Editor{
		t:       t,
		served:  make(chan error, 1),
		told:    Told{Diagnostics: make(map[string][]protocol.Diagnostic), Published: make(map[string]int)},
		buffers: make(map[string]*buffer),
	}
	fromServer, toEditor := io.Pipe()
	fromEditor, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { e.served <- serve(ctx, fromEditor, toEditor) }()
	e.client = jsonrpc2.NewConn(context.Background(), lsp.Framing(fromServer, toServer), handler{e})
	t.Cleanup(func() {
		cancel()
		toEditor.Close()
		e.client.Close()
	})
	return e
}

// Call calls a method of the server, and decodes the result into one where that is not nil.
// Where the context is cancelled, the server is told, and has to answer that the request is.
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	id := jsonrpc2.ID{Num: e.calls.Add(1)}
	call, err := e.client.DispatchCall(ctx, method, params, jsonrpc2.PickID(id))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		e.expect(e.client.Notify(patient, protocol.CancelRequest, protocol.CancelParams{ID: id}))
	})()
	err = call.Wait(patient, result)
	if ctx.Err() != nil && Code(err) == protocol.RequestCancelled {
		return ctx.Err()
	}
	return err
}

// Code is that of the error that a server has answered with, 0 where it has not.
func Code(err error) int64 {
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return 0
}

// Tell sends the server a notification.
func (e *Editor) Tell(method string, params any) {
	e.t.Helper()
	e.must(e.client.Notify(context.Background(), method, params))
}

// Initialize greets the server.
func (e *Editor) Initialize(c *protocol.ClientCapabilities, options any) error {
	data, err := json.Marshal(options)
	if err != nil {
		return err
	}
	err = e.Call(context.Background(), protocol.Initialize, protocol.InitializeParams{Capabilities: *c, InitializationOptions: data}, &e.Result)
	if err == nil {
		e.Tell(protocol.Initialized, struct{}{})
	}
	return err
}

// A handler has an editor do what the server says: what it tells in that order, what it
// asks for beside that.
type handler struct{ *Editor }

func (e handler) Handle(ctx context.Context, client *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if req.Notif {
		e.notified(req)
		return
	}
	go jsonrpc2.HandlerWithError(e.asked).SuppressErrClosed().Handle(ctx, client, req)
}

// notified keeps what the server tells.
func (e *Editor) notified(req *jsonrpc2.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch req.Method {
	case protocol.PublishDiagnostics:
		var params protocol.PublishDiagnosticsParams
		e.expect(json.Unmarshal(*req.Params, &params))
		name, _ := params.URI.File()
		e.told.Diagnostics[name] = params.Diagnostics
		e.told.Published[name]++
	case protocol.LogMessage, protocol.ShowMessage:
		var params protocol.MessageParams
		e.expect(json.Unmarshal(*req.Params, &params))
		list := &e.told.Logged
		if req.Method == protocol.ShowMessage {
			list = &e.told.Shown
		}
		*list = append(*list, params.Message)
	default:
		e.t.Errorf("the server tells %s", req.Method)
	}
}

// asked does what the server asks for.
func (e *Editor) asked(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	switch req.Method {
	case protocol.RegisterCapability:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.told.Watches = append(e.told.Watches, string(*req.Params))
		return nil, nil
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: req.Method}
}

func (e *Editor) expect(err error) {
	if err != nil {
		e.t.Error(err)
	}
}

// Wait waits until something is the case of what the editor was told, and fails the test
// if it never is.
func (e *Editor) Wait(what string, done func(Told) bool) {
	e.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		e.mu.Lock()
		told, ok := e.told, done(e.told)
		e.mu.Unlock()
		switch {
		case ok:
			return
		case time.Now().After(end):
			e.t.Fatalf("waited in vain: %s\n%+v", what, told)
		}
	}
}

// Told is what an editor was told: the diagnostics of files, how often these were
// published, and messages.
type Told struct {
	Diagnostics   map[string][]protocol.Diagnostic
	Published     map[string]int
	Logged, Shown []string
	Watches       []string // what the server wants to be told of
}

// Diagnostics waits for the diagnostics of a file with which it is done, and returns them.
func (e *Editor) Diagnostics(name string, done func([]protocol.Diagnostic) bool) []protocol.Diagnostic {
	e.t.Helper()
	var list []protocol.Diagnostic
	e.Wait("diagnostics of "+name, func(told Told) bool {
		list = told.Diagnostics[name]
		return told.Published[name] > 0 && done(list)
	})
	return slices.Clone(list)
}

// Logged are the messages of the log so far that contain a text.
func (e *Editor) Logged(text string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.told.Logged), func(m string) bool { return !strings.Contains(m, text) })
}

// Open opens a file.
func (e *Editor) Open(name string) {
	e.t.Helper()
	content, err := os.ReadFile(name)
	e.must(err)
	e.mu.Lock()
	e.buffers[name] = &buffer{string(content), 1}
	e.mu.Unlock()
	e.tellOf(protocol.DidOpen, name, string(content), 1)
}

// tellOf tells what was done to a document.
func (e *Editor) tellOf(method, name, text string, version int32) {
	e.t.Helper()
	var p protocol.DocumentParams
	p.TextDocument.URI, p.TextDocument.Text, p.TextDocument.Version = protocol.File(name), text, version
	e.Tell(method, p)
}

// Type replaces the whole text of an open file.
func (e *Editor) Type(name, text string) {
	e.t.Helper()
	e.mu.Lock()
	b := e.buffers[name]
	b.text, b.version = text, b.version+1
	version := b.version
	e.mu.Unlock()
	e.tellOf(protocol.DidChange, name, "", version)
}

// Text is what an open file has on the screen.
func (e *Editor) Text(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.buffers[name].text
}

// Save saves an open file.
func (e *Editor) Save(name string) {
	e.t.Helper()
	e.must(os.WriteFile(name, []byte(e.Text(name)), 0o666))
	e.tellOf(protocol.DidSave, name, "", 0)
}

// Changed tells that a file has changed on the disk.
func (e *Editor) Changed(name string) {
	e.t.Helper()
	e.Tell(protocol.DidChangeWatchedFiles, protocol.DidChangeWatchedFilesParams{
		Changes: []protocol.TextDocumentIdentifier{{URI: protocol.File(name)}},
	})
}

// Hover is what is said of a position of a file: nil where that is nothing.
func (e *Editor) Hover(name string, at protocol.Position) *protocol.Hover {
	e.t.Helper()
	var hover *protocol.Hover
	e.must(e.Call(context.Background(), protocol.HoverAt, protocol.HoverParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: protocol.File(name)}, Position: at,
	}, &hover))
	return hover
}

// Actions are the actions at a line of a file, counted from 0.
func (e *Editor) Actions(name string, line uint32) []protocol.CodeAction {
	e.t.Helper()
	at := protocol.Position{Line: line}
	var list []protocol.CodeAction
	e.must(e.Call(context.Background(), protocol.CodeActions, protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: protocol.File(name)},
		Range:        protocol.Range{Start: at, End: at},
	}, &list))
	return list
}

// Choose chooses the action whose title contains a text, as an editor that resolves all
// actions which have no edit: its edit is made, or its command executed, whose result is
// returned.
func (e *Editor) Choose(list []protocol.CodeAction, title string) (string, error) {
	e.t.Helper()
	for _, a := range list {
		if !strings.Contains(a.Title, title) {
			continue
		}
		if a.Disabled != nil {
			return "", fmt.Errorf("disabled: %s", a.Disabled.Reason)
		}
		if a.Edit == nil {
			var resolved protocol.CodeAction
			if err := e.Call(context.Background(), protocol.ResolveCodeAction, a, &resolved); err != nil {
				return "", err
			}
			a = resolved
		}
		if a.Edit != nil {
			if err := e.apply(a.Edit); err != nil {
				return "", err
			}
		}
		if a.Command == nil {
			return "", nil
		}
		var result string
		err := e.Call(context.Background(), protocol.ExecuteCommand, protocol.ExecuteCommandParams{Command: a.Command.Command, Arguments: a.Command.Arguments}, &result)
		return result, err
	}
	e.t.Fatalf("no action %q in %s", title, Titles(list))
	return "", nil
}

// Titles are the titles of actions, one on a line.
func Titles(list []protocol.CodeAction) string {
	var titles []string
	for _, a := range list {
		titles = append(titles, a.Title)
	}
	return strings.Join(titles, "\n")
}

// apply makes an edit: on the screen what is open there, on the disk what is not.
func (e *Editor) apply(edit *protocol.WorkspaceEdit) error {
	for _, c := range edit.DocumentChanges {
		name, _ := c.URI.File()
		var err error
		switch c.Kind {
		case protocol.Create:
			var f *os.File
			if err = os.MkdirAll(filepath.Dir(name), 0o777); err == nil {
				if f, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
					err = f.Close()
				}
			}
		case protocol.Delete:
			err = os.Remove(name)
		default:
			err = e.change(c.TextDocument.URI, c.TextDocument.Version, c.Edits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Editor) change(u protocol.URI, version *int32, edits []protocol.TextEdit) error {
	name, _ := u.File()
	e.mu.Lock()
	b := e.buffers[name]
	e.mu.Unlock()
	if b == nil {
		if version != nil {
			return fmt.Errorf("%s is not open", name)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, []byte(e.edited(string(content), edits)), 0o666)
	}
	if version != nil && *version != b.version {
		return fmt.Errorf("%s has version %d, the edit is for %d", name, b.version, *version)
	}
	e.Type(name, e.edited(b.text, edits))
	return nil
}

// edited makes edits in a text, from the end to the beginning.
func (e *Editor) edited(text string, edits []protocol.TextEdit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int {
		return e.offset(text, b.Range.Start) - e.offset(text, a.Range.Start)
	})
	for _, edit := range edits {
		text = text[:e.offset(text, edit.Range.Start)] + edit.NewText + text[e.offset(text, edit.Range.End):]
	}
	return text
}

// Cut is the part of a text that a range is of.
func (e *Editor) Cut(text string, r protocol.Range) string {
	return text[e.offset(text, r.Start):e.offset(text, r.End)]
}

// offset is where a position is in a text.
func (e *Editor) offset(text string, at protocol.Position) int {
	begin := 0
	for range at.Line {
		begin += strings.IndexByte(text[begin:], '\n') + 1
	}
	left := int(at.Character)
	for i, r := range text[begin:] {
		if left <= 0 {
			return begin + i
		}
		if e.Result.Capabilities.PositionEncoding == protocol.UTF8 {
			left -= len(string(r))
		} else {
			left -= utf16.RuneLen(r)
		}
	}
	return len(text)
}

// Exit ends the server as the protocol wants it, and returns what it ended with.
func (e *Editor) Exit() error {
	if err := e.Call(context.Background(), protocol.Shutdown, nil, nil); err != nil {
		return err
	}
	e.Tell(protocol.Exit, nil)
	return e.Served()
}

// Served waits for the end of the server, and returns what it ended with.
func (e *Editor) Served() error {
	select {
	case err := <-e.served:
		return err
	case <-time.After(patience):
		e.t.Fatal("the server does not end")
		return nil
	}
}

// Leave closes the connection.
func (e *Editor) Leave() { e.client.Close() }

func (e *Editor) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}
