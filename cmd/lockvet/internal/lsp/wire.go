package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// Framing is how messages follow each other. What is read and is no message is answered
// with an error, and not returned.
func Framing(r io.Reader, w io.WriteCloser) jsonrpc2.ObjectStream {
	return stream{jsonrpc2.NewBufferedStream(struct {
		io.Reader
		io.WriteCloser
	}{r, w}, codec{})}
}

type stream struct{ jsonrpc2.ObjectStream }

// ReadObject returns an error where the connection has ended.
func (s stream) ReadObject(v any) error {
	for {
		err := s.ObjectStream.ReadObject(v)
		var bad *noMessage
		if !errors.As(err, &bad) {
			return err
		}
		reflect.ValueOf(v).Elem().SetZero() // a part of it may have been read
		err = s.WriteObject(map[string]any{
			"jsonrpc": "2.0", "id": nil, "error": jsonrpc2.Error{Code: jsonrpc2.CodeParseError, Message: bad.Error()},
		})
		if err != nil {
			return err
		}
	}
}

// noMessage says why something that was read is no message.
type noMessage struct{ error }

// A codec reads what stands behind a header to its end, as that of the library does not: it
// leaves what follows the message.
type codec struct{ jsonrpc2.VSCodeObjectCodec }

// ReadObject reads a message.
func (codec) ReadObject(r *bufio.Reader, v any) error {
	length := -1
	for {
		field, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		name, value, isField := strings.Cut(strings.TrimSpace(field), ":")
		if !isField {
			break
		}
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("a message has no Content-Length")
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(length)))
	switch {
	case err != nil:
		return err
	case len(data) < length:
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &noMessage{err}
	}
	return nil
}

// An inbox has what the editor sends, in that order, until it is handled. The connection is
// read all the time: some editors read nothing while they write, and the server may be
// writing to one of these.
type inbox struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting []message
	ended   bool
}

// A message is a request or a notification. Its context ends with the connection.
type message struct {
	ctx context.Context
	req *jsonrpc2.Request
}

func newInbox() *inbox {
	in := new(inbox)
	in.changed.L = &in.mu
	return in
}

// Handle keeps a message: the connection calls it.
func (in *inbox) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = append(in.waiting, message{ctx, req})
	in.changed.Signal()
}

// end says that no message follows.
func (in *inbox) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ended = true
	in.changed.Signal()
}

// next waits for a message. It returns false where there is none any more.
func (in *inbox) next() (message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !in.ended && len(in.waiting) == 0 {
		in.changed.Wait()
	}
	if len(in.waiting) == 0 {
		return message{}, false
	}
	m := in.waiting[0]
	in.waiting = in.waiting[1:]
	return m, true
}

// handleAll handles what the editor sends until the connection has ended. Notifications,
// which tell of changes, are handled one after the other, before any request that follows;
// requests beside each other: none of them waits for an analysis that it does not need.
func (s *server) handleAll() {
	var requests sync.WaitGroup
	defer requests.Wait()
	turns := make(chan struct{}, atOnce)
	for {
		m, ok := s.inbox.next()
		switch {
		case !ok:
			return
		case m.req.Notif:
			s.onNotification(m.req)
			continue
		}
		ctx, cancel := context.WithCancel(m.ctx)
		if _, taken := s.cancels.LoadOrStore(m.req.ID, cancel); taken {
			cancel()
			s.reply(m.req.ID, nil, errorf(jsonrpc2.CodeInvalidRequest, "there is a request %s already", m.req.ID))
			continue
		}
		requests.Go(func() {
			select {
			case turns <- struct{}{}:
				defer func() { <-turns }()
			case <-ctx.Done(): // it is answered at once
			}
			result, err := s.handle(ctx, m.req)
			s.cancelRequest(m.req.ID)
			s.reply(m.req.ID, result, err)
		})
	}
}

// atOnce is how many requests are answered beside each other: most wait for the engine.
const atOnce = 64

// cancelRequest ends the context of a request, if that was not answered yet.
func (s *server) cancelRequest(id jsonrpc2.ID) {
	if cancel, ok := s.cancels.LoadAndDelete(id); ok {
		cancel.(context.CancelFunc)()
	}
}

// reply answers a request: to nobody, where the editor has gone.
func (s *server) reply(id jsonrpc2.ID, result any, err error) {
	answer := &jsonrpc2.Response{ID: id}
	if err == nil {
		err = answer.SetResult(result)
	}
	if err != nil && !errors.As(err, &answer.Error) {
		answer.Error = errorf(protocol.RequestFailed, "%v", err)
	}
	_ = s.rpc.SendResponse(s.ctx, answer)
}

// tell sends a notification: to nobody, where the editor has gone.
func (s *server) tell(method string, params any) { _ = s.rpc.Notify(s.ctx, method, params) }

// ask sends a request and waits for the answer, which is decoded into a result that is not
// nil.
func (s *server) ask(ctx context.Context, method string, params, result any) error {
	id := jsonrpc2.ID{Num: s.asked.Add(1)} // from 1: that of the library is 0 at first, which some take for none
	return s.rpc.Call(ctx, method, params, result, jsonrpc2.PickID(id))
}

// errorf is an error with a code of the protocol.
func errorf(code int64, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// with calls a function with the parameters of a request.
func with[P any](req *jsonrpc2.Request, do func(*P) (any, error)) (any, error) {
	var params P
	if req.Params != nil {
		if err := json.Unmarshal(*req.Params, &params); err != nil {
			return nil, errorf(jsonrpc2.CodeInvalidParams, "parameters of %s: %v", req.Method, err)
		}
	}
	return do(&params)
}
