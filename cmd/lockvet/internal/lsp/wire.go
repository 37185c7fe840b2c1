package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// Framing is how messages follow each other.
func Framing(r io.Reader, w io.WriteCloser) jsonrpc2.ObjectStream {
	return jsonrpc2.NewBufferedStream(struct {
		io.Reader
		io.WriteCloser
	}{r, w}, jsonrpc2.VSCodeObjectCodec{})
}

// An inbox has what the editor sends, in that order, until it is handled. The connection is read
// meanwhile: some editors read nothing while they write, and the server may be writing to one of these.
type inbox chan *jsonrpc2.Request

// Handle keeps a request or a notification: the connection calls it.
func (in inbox) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	select {
	case in <- req:
	case <-ctx.Done():
	}
}

// next waits for a message: nil where the connection has ended and none is left.
func (s *server) next() *jsonrpc2.Request {
	select {
	case req := <-s.inbox:
		return req
	case <-s.rpc.DisconnectNotify():
	}
	select {
	case req := <-s.inbox:
		return req
	default:
		return nil
	}
}

// handleAll handles what the editor sends until the connection has ended. Notifications,
// which tell of changes, are handled one after the other, before any request that follows;
// requests beside each other: none of them waits for an analysis that it does not need.
func (s *server) handleAll() {
	var requests sync.WaitGroup
	defer requests.Wait()
	for req := s.next(); req != nil; req = s.next() {
		if req.Notif {
			if err := s.notified(req); err != nil {
				s.logError(err)
			}
			continue
		}
		ctx, cancel := context.WithCancel(s.ctx)
		if _, taken := s.cancels.LoadOrStore(req.ID, cancel); taken {
			cancel()
			s.reply(req.ID, nil, errorf(jsonrpc2.CodeInvalidRequest, "there is a request %s already", req.ID))
			continue
		}
		requests.Go(func() {
			result, err := s.handle(ctx, req)
			if ctx.Err() != nil {
				result, err = nil, errorf(protocol.RequestCancelled, "cancelled")
			}
			s.cancelRequest(req.ID)
			s.reply(req.ID, result, err)
		})
	}
}

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

// told calls a function with the parameters of a notification.
func told[P any](req *jsonrpc2.Request, do func(*P)) error {
	_, err := with(req, func(params *P) (any, error) { do(params); return nil, nil })
	return err
}
