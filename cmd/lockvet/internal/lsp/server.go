// Package lsp is a language server: it tells an editor what is found in the packages
// whose files are opened and saved, explains it, and hands on the edits that fix it. It
// knows the protocol and what editors can show; how packages are analysed and fixed it
// asks an [Engine].
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// An Engine analyses packages. The server calls one method at a time, but for Root.
type Engine interface {
	// Root is the folder of the module that a file belongs to; the error says why the
	// file is not analysed.
	Root(file string) (string, error)
	// Analyse looks at the packages in folders of a module and, where it is asked to, at
	// all of the main modules that import these.
	Analyse(ctx context.Context, root string, folders []string, importers bool) (*Analysis, error)
	// Fix is what has to change for the fix of one finding, such that the module compiles.
	Fix(ctx context.Context, root string, f *report.Finding) ([]repair.Change, error)
	// Why says what the checks looked at in the function at a line, counted from 1, and
	// what came of it.
	Why(ctx context.Context, root, file string, line int) (string, error)
}

// An Analysis is what was found in packages.
type Analysis struct {
	// Printer made the names of files.
	Printer report.Printer
	// Folders are those of the packages that were analysed: nothing else is found in them.
	Folders  []string
	Findings []report.Finding
	// Quiet are those that are not shown: their fixes are offered where they stand.
	Quiet []report.Finding
	// Problems say what was not analysed, and why.
	Problems []string
}

// A Config is what a server is made of.
type Config struct {
	// Version is that of the program.
	Version string
	// NewEngine makes the engine from flags of the command, which are the initialization
	// options of the editor.
	NewEngine func(flags []string) (Engine, error)
}

// ErrNoShutdown says that the editor has ended the connection, or asked the server to
// exit, without having asked it to shut down.
var ErrNoShutdown = errors.New("the editor has gone without shutdown")

// Serve speaks to one editor until it asks the server to exit, or goes, or the context
// ends.
func Serve(ctx context.Context, r io.Reader, w io.WriteCloser, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		config:    c,
		ctx:       ctx,
		inbox:     make(inbox, 1024),
		exit:      make(chan struct{}),
		turn:      make(chan struct{}, 1),
		documents: make(map[string]*document),
		found:     make(map[string][]*located),
		said:      make(map[string][]string),
		work:      newQueue(),
	}
	s.working, s.stopWork = context.WithCancel(ctx)
	s.rpc = jsonrpc2.NewConn(ctx, Framing(r, w), s.inbox, jsonrpc2.SetLogger(log.New(os.Stderr, "lockvet: ", 0)))
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.handleAll()
	}()
	var working sync.WaitGroup
	working.Go(s.analyseAll)
	defer working.Wait()
	defer cancel() // before the wait
	select {
	case <-s.exit:
	case <-ctx.Done():
		return ctx.Err()
	case <-gone:
		if err := ctx.Err(); err != nil { // which closes the connection
			return err
		}
	}
	if s.state() != stopping {
		return ErrNoShutdown
	}
	return nil
}

// A phase is where a server is between its start and its end.
type phase int

const (
	starting phase = iota
	running
	stopping
)

// A server is the server of one editor.
type server struct {
	config Config
	ctx    context.Context // ends with the connection
	rpc    *jsonrpc2.Conn
	inbox  inbox
	exit   chan struct{} // closed by leave
	leave  sync.Once
	turn   chan struct{} // held while the engine is at work
	work   *queue

	working  context.Context // ends when nothing more is to be analysed
	stopWork context.CancelFunc

	cancels sync.Map // a context.CancelFunc for each request that is being answered, by its ID

	mu        sync.Mutex
	phase     phase
	engine    Engine
	editor    editor
	documents map[string]*document  // that are open, by the name of the file
	found     map[string][]*located // by the name of the file
	said      map[string][]string   // what was wrong last, by what it was wrong with
}

// A document is a file that is open in the editor.
type document struct {
	uri     protocol.URI
	version int32
	changed bool // differs from the file
}

func (s *server) state() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// handle does what the editor asks for.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	switch phase := s.state(); {
	case phase == starting && req.Method != protocol.Initialize:
		return nil, errorf(protocol.ServerNotInitialized, "the server is not initialized")
	case phase == running && req.Method == protocol.Initialize:
		return nil, errorf(jsonrpc2.CodeInvalidRequest, "the server is initialized already")
	case phase == stopping:
		return nil, errorf(jsonrpc2.CodeInvalidRequest, "the server is shut down")
	}
	switch req.Method {
	case protocol.Initialize:
		return with(req, s.initialize)
	case protocol.Shutdown:
		return nil, s.shutdown()
	case protocol.HoverAt:
		return with(req, func(p *protocol.HoverParams) (any, error) { return s.hover(p), nil })
	case protocol.CodeActions:
		return with(req, func(p *protocol.CodeActionParams) (any, error) { return s.actions(p), nil })
	case protocol.ResolveCodeAction:
		return with(req, func(p *protocol.CodeAction) (any, error) { return s.resolve(ctx, p) })
	case protocol.ExecuteCommand:
		return with(req, func(p *protocol.ExecuteCommandParams) (any, error) { return s.execute(ctx, p) })
	}
	return nil, errorf(jsonrpc2.CodeMethodNotFound, "there is no method %q", req.Method)
}

// notified heeds a notification. Others than these are for other servers.
func (s *server) notified(req *jsonrpc2.Request) error {
	switch {
	case req.Method == protocol.Exit:
		s.leave.Do(func() { close(s.exit) })
	case s.state() != running:
	case req.Method == protocol.Initialized:
		s.initialized()
	case req.Method == protocol.CancelRequest:
		return told(req, func(p *protocol.CancelParams) { s.cancelRequest(p.ID) })
	case req.Method == protocol.DidOpen:
		return told(req, s.didOpen)
	case req.Method == protocol.DidChange:
		return told(req, s.didChange)
	case req.Method == protocol.DidSave:
		return told(req, s.didSave)
	case req.Method == protocol.DidClose:
		return told(req, s.didClose)
	case req.Method == protocol.DidChangeWatchedFiles:
		return told(req, s.didChangeWatchedFiles)
	}
	return nil
}

// initialize agrees on what the editor and the server can do.
func (s *server) initialize(params *protocol.InitializeParams) (any, error) {
	flags, err := flagsOf(params.InitializationOptions)
	if err != nil {
		return nil, errorf(jsonrpc2.CodeInvalidParams, "%v", err)
	}
	engine, err := s.config.NewEngine(flags)
	if err != nil {
		return nil, errorf(jsonrpc2.CodeInvalidParams, "%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.engine, s.editor = running, engine, newEditor(&params.Capabilities)
	result := new(protocol.InitializeResult)
	result.ServerInfo.Name, result.ServerInfo.Version = "lockvet", s.config.Version
	can := &result.Capabilities
	can.PositionEncoding, can.HoverProvider = s.editor.encoding, true
	can.TextDocumentSync.OpenClose, can.TextDocumentSync.Save = true, true
	can.TextDocumentSync.Change = protocol.Incremental
	can.CodeActionProvider.CodeActionKinds = []string{protocol.QuickFix}
	can.CodeActionProvider.ResolveProvider = true
	can.ExecuteCommandProvider.Commands = []string{commandWhy}
	return result, nil
}

// initialized asks the editor to tell of files that change on the disk: those of a new
// package are saved behind the file that calls it, and other programs change files, too.
func (s *server) initialized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.editor.watches {
		return
	}
	type object = map[string]any
	watch := object{"registrations": []object{{
		"id": "files", "method": protocol.DidChangeWatchedFiles, "registerOptions": object{"watchers": []object{
			{"globPattern": "**/*.go"}, {"globPattern": "**/{go.mod,go.sum,go.work,.lockvet.yaml}"},
		}},
	}}}
	id := jsonrpc2.PickID(jsonrpc2.ID{Num: 1}) // that of the library is 0, which some take for none
	go func() {                                // the answer comes behind other notifications, which wait for this one
		if err := s.rpc.Call(s.ctx, protocol.RegisterCapability, watch, nil, id); err != nil && s.ctx.Err() == nil {
			s.logError(err)
		}
	}()
}

// shutdown ends what the server is doing. The editor asks it to exit next.
func (s *server) shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = stopping
	s.stopWork()
	return nil
}

// didOpen analyses the package of the file.
func (s *server) didOpen(params *protocol.DocumentParams) {
	name, ok := params.TextDocument.URI.File()
	if !ok {
		return
	}
	onDisk, err := untrusted.ReadFile(name, untrusted.MaxSource)
	s.mu.Lock()
	s.documents[name] = &document{
		uri:     params.TextDocument.URI,
		version: params.TextDocument.Version,
		changed: err != nil || string(withoutMark(onDisk)) != string(withoutMark([]byte(params.TextDocument.Text))),
	}
	s.mu.Unlock()
	s.analyse(name, false)
}

// didChange notes that the file is not what is on the screen.
func (s *server) didChange(params *protocol.DocumentParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := params.TextDocument.URI.File(); ok && s.documents[name] != nil {
		s.documents[name].version, s.documents[name].changed = params.TextDocument.Version, true
	}
}

// didSave analyses the package of the file again.
func (s *server) didSave(params *protocol.DocumentParams) {
	name, ok := params.TextDocument.URI.File()
	if !ok {
		return
	}
	s.mu.Lock()
	if d := s.documents[name]; d != nil {
		d.changed = false
	}
	s.mu.Unlock()
	s.analyse(name, true)
}

// didClose forgets what was on the screen. What is found in the file stays.
func (s *server) didClose(params *protocol.DocumentParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := params.TextDocument.URI.File(); ok {
		delete(s.documents, name)
	}
}

// didChangeWatchedFiles analyses the packages of what is open again. That an open file was
// saved is told apart.
func (s *server) didChangeWatchedFiles(params *protocol.DidChangeWatchedFilesParams) {
	s.mu.Lock()
	others := slices.ContainsFunc(params.Changes, func(c protocol.TextDocumentIdentifier) bool {
		name, ok := c.URI.File()
		return ok && s.documents[name] == nil
	})
	open := slices.Collect(maps.Keys(s.documents))
	s.mu.Unlock()
	for _, name := range open {
		if others {
			s.analyse(name, true)
		}
	}
}

// withEngine has the engine to itself until done is called; others wait for their turn.
func (s *server) withEngine(ctx context.Context) (e Engine, done func(), err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, nil, s.ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine, func() { <-s.turn }, nil
}

// log tells the editor something that it keeps in its log.
func (s *server) log(typ int, text string) {
	s.tell(protocol.LogMessage, protocol.MessageParams{Type: typ, Message: "lockvet: " + text})
}

// logError logs an error, without the code of one that has one.
func (s *server) logError(err error) {
	text := err.Error()
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		text = coded.Message
	}
	s.log(protocol.WarningMessage, text)
}

// complain logs what is wrong, and shows what is an error, but for what was wrong before, with
// this or with anything else. Nothing is said where nothing is wrong any more.
func (s *server) complain(with string, typ int, problems ...string) {
	s.mu.Lock()
	known, news := slices.Concat(slices.Collect(maps.Values(s.said))...), []string(nil)
	for _, p := range problems {
		if !slices.Contains(known, p) {
			news, known = append(news, p), append(known, p)
		}
	}
	s.said[with] = problems
	s.mu.Unlock()
	for _, p := range news {
		s.log(typ, p)
		if typ == protocol.ErrorMessage { // nothing is found until somebody acts
			s.tell(protocol.ShowMessage, protocol.MessageParams{Type: typ, Message: "lockvet: " + p})
		}
	}
}

// encode is a value as an argument of a command.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return data
}
