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
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
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
	// Write writes changes to the disk, each file whole or not at all.
	Write(ctx context.Context, changes []repair.Change) error
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
	Findings []Found
	// Problems say what was not analysed, and why.
	Problems []string
}

// Found is a finding.
type Found struct {
	report.Finding
	// NewFiles says that its fix may need files that are not there yet.
	NewFiles bool
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
		exit:      make(chan struct{}),
		turn:      make(chan struct{}, 1),
		documents: make(map[string]*document),
		found:     make(map[string][]*located),
		said:      make(map[string][]string),
		work:      newQueue(),
	}
	s.rpc = jrpc2.NewServer(assigner(s.handle), &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: atOnce})
	gone := make(chan struct{})
	s.rpc.Start(Framing(r, w))
	go func() {
		defer close(gone)
		_ = s.rpc.Wait() // where the connection breaks, the editor has gone
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
	}
	if s.state() != stopping {
		return ErrNoShutdown
	}
	return nil
}

// atOnce is how many requests are answered beside each other: most wait for the engine.
const atOnce = 64

// Framing is how messages follow each other.
var Framing = channel.Header("")

// An assigner is one handler for all methods.
type assigner jrpc2.Handler

func (a assigner) Assign(context.Context, string) jrpc2.Handler { return jrpc2.Handler(a) }

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
	rpc    *jrpc2.Server
	exit   chan struct{}
	turn   chan struct{} // held while the engine is at work
	work   *queue

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

// handle does what the editor asks for, or tells. Notifications, which tell of changes, are
// handled one after the other, before any request that follows; requests beside each
// other: none of them waits for an analysis that it does not need.
func (s *server) handle(ctx context.Context, req *jrpc2.Request) (any, error) {
	method, phase := req.Method(), s.state()
	switch {
	case req.IsNotification():
		if phase == running || method == protocol.Exit {
			if err := s.notified(req); err != nil {
				s.log(protocol.WarningMessage, err.Error())
			}
		}
		return nil, nil
	case phase == starting && method != protocol.Initialize:
		return nil, jrpc2.Errorf(protocol.ServerNotInitialized, "the server is not initialized")
	case phase == running && method == protocol.Initialize:
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the server is initialized already")
	case phase == stopping:
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the server is shut down")
	}
	result, err := s.answer(ctx, req)
	var coded jrpc2.ErrCoder
	switch {
	case ctx.Err() != nil:
		return nil, jrpc2.Errorf(protocol.RequestCancelled, "cancelled")
	case err != nil && !errors.As(err, &coded):
		return nil, jrpc2.Errorf(protocol.RequestFailed, "%v", err)
	}
	return result, err
}

// answer is that to a request.
func (s *server) answer(ctx context.Context, req *jrpc2.Request) (any, error) {
	switch req.Method() {
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
	return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "there is no method %q", req.Method())
}

// notified heeds a notification. Others than these are for other servers.
func (s *server) notified(req *jrpc2.Request) error {
	var err error
	switch req.Method() {
	case protocol.Initialized:
		s.initialized()
	case protocol.Exit:
		close(s.exit)
	case protocol.CancelRequest:
		_, err = with(req, func(p *protocol.CancelParams) (any, error) { s.rpc.CancelRequest(string(p.ID)); return nil, nil })
	case protocol.DidOpen:
		_, err = with(req, func(p *protocol.DidOpenParams) (any, error) { s.didOpen(p); return nil, nil })
	case protocol.DidChange:
		_, err = with(req, func(p *protocol.DidChangeParams) (any, error) { s.didChange(p); return nil, nil })
	case protocol.DidSave:
		_, err = with(req, func(p *protocol.DocumentParams) (any, error) { s.didSave(p); return nil, nil })
	case protocol.DidClose:
		_, err = with(req, func(p *protocol.DocumentParams) (any, error) { s.didClose(p); return nil, nil })
	case protocol.DidChangeWatchedFiles:
		_, err = with(req, func(p *protocol.DidChangeWatchedFilesParams) (any, error) {
			s.didChangeWatchedFiles(p)
			return nil, nil
		})
	}
	return err
}

// with calls a function with the parameters of a request.
func with[P any](req *jrpc2.Request, do func(*P) (any, error)) (any, error) {
	var params P
	if err := req.UnmarshalParams(&params); err != nil {
		return nil, err
	}
	return do(&params)
}

// initialize agrees on what the editor and the server can do.
func (s *server) initialize(params *protocol.InitializeParams) (any, error) {
	flags, err := flagsOf(params.InitializationOptions)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	engine, err := s.config.NewEngine(flags)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.engine, s.editor = running, engine, newEditor(&params.Capabilities)
	return &protocol.InitializeResult{
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding:       s.editor.encoding,
			TextDocumentSync:       protocol.TextDocumentSyncOptions{OpenClose: true, Change: protocol.Incremental, Save: true},
			HoverProvider:          true,
			CodeActionProvider:     protocol.CodeActionOptions{CodeActionKinds: []string{protocol.QuickFix}, ResolveProvider: s.editor.resolves},
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: []string{commandFix, commandWhy}},
		},
		ServerInfo: protocol.ServerInfo{Name: "lockvet", Version: s.config.Version},
	}, nil
}

// initialized asks the editor to tell of files that change on the disk: those of a new
// package are saved behind the file that calls it, and other programs change files, too.
func (s *server) initialized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.editor.watches {
		return
	}
	watch := protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "files", Method: protocol.DidChangeWatchedFiles,
		RegisterOptions: protocol.WatchOptions{Watchers: []protocol.Watcher{{GlobPattern: "**/*.go"}, {GlobPattern: "**/{go.mod,go.sum,go.work,.lockvet.yaml}"}}},
	}}}
	go func() { // the answer comes behind other notifications, which wait for this one
		if _, err := s.ask(s.ctx, protocol.RegisterCapability, watch); err != nil && s.ctx.Err() == nil {
			s.log(protocol.WarningMessage, err.Error())
		}
	}()
}

// shutdown ends what the server is doing. The editor asks it to exit next.
func (s *server) shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = stopping
	s.work.stop()
	return nil
}

// didOpen analyses the package of the file.
func (s *server) didOpen(params *protocol.DidOpenParams) {
	name, ok := params.TextDocument.URI.File()
	if !ok {
		return
	}
	onDisk, err := os.ReadFile(name)
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
func (s *server) didChange(params *protocol.DidChangeParams) {
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
	others := slices.ContainsFunc(params.Changes, func(c protocol.FileEvent) bool {
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

// tell sends a notification: to nobody, where the editor has gone.
func (s *server) tell(method string, params any) { _ = s.rpc.Notify(s.ctx, method, params) }

// ask sends a request and waits for the answer.
func (s *server) ask(ctx context.Context, method string, params any) (*jrpc2.Response, error) {
	return s.rpc.Callback(ctx, method, params)
}

// log tells the editor something that it keeps in its log.
func (s *server) log(typ protocol.MessageType, text string) {
	s.tell(protocol.LogMessage, protocol.MessageParams{Type: typ, Message: "lockvet: " + text})
}

// complain logs what is wrong, but for what was wrong before, with this or with anything
// else. Nothing is said where nothing is wrong any more.
func (s *server) complain(with string, typ protocol.MessageType, problems ...string) {
	s.mu.Lock()
	var news []string
	for _, p := range problems {
		known := slices.Contains(news, p)
		for _, said := range s.said {
			known = known || slices.Contains(said, p)
		}
		if !known {
			news = append(news, p)
		}
	}
	s.said[with] = problems
	s.mu.Unlock()
	for _, p := range news {
		s.log(typ, p)
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
