package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// commandWhy is the command. Its argument is a line.
const commandWhy = "lockvet.why"

// A choice is a finding that is to be fixed.
type choice struct {
	File        string `json:"file"`
	Fingerprint string `json:"fingerprint"`
}

// A line is one of a file, counted from 0 as editors do.
type line struct {
	URI  protocol.URI `json:"uri"`
	Line uint32       `json:"line"`
}

// Reason is what stands where the user has to say why a finding is to be ignored.
const Reason = "TODO: say why nothing is lost here"

// actions offers to fix or to ignore the findings at a place, and to say what is known of
// a line.
func (s *server) actions(params *protocol.CodeActionParams) []any {
	actions := []any{}
	name, ok := params.TextDocument.URI.File()
	if !ok || filepath.Ext(name) != ".go" {
		return actions
	}
	// Editors ask for the line, the word or the character at the cursor.
	r := params.Range
	r.Start.Character, r.End.Character = 0, ^uint32(0)
	list := s.at(name, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if wanted(params.Context.Only, protocol.QuickFix) {
		for _, l := range list {
			actions = append(actions, s.fixes(l)...)
		}
		actions = append(actions, s.ignores(list)...)
	}
	automatic := params.Context.TriggerKind == protocol.Automatic
	if len(params.Context.Only) == 0 && (len(list) > 0 || !automatic) {
		title, at := "lockvet: why is this reported, or not?", line{params.TextDocument.URI, params.Range.Start.Line}
		actions = append(actions, &protocol.CodeAction{Title: title, Command: &protocol.Command{
			Title: title, Command: commandWhy, Arguments: []json.RawMessage{encode(at)},
		}})
	}
	return actions
}

// wanted reports whether actions of a kind are asked for.
func wanted(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k string) bool {
		return k == "" || k == kind || strings.HasPrefix(kind, k+".")
	})
}

// fixes offers the fix of a finding: its edit is made when it is chosen. s.mu is held.
func (s *server) fixes(l *located) []any {
	if l.Fix == nil || !s.editor.fixes {
		return nil
	}
	a := s.quickFix(l, "lockvet: "+l.Fix.Message)
	if _, changed := s.changed(l.file); changed {
		return s.disabled(a, "save the file first: the edit is made for what was analysed")
	}
	a.Data = encode(choice{l.file, l.Fingerprint})
	a.IsPreferred = true
	return []any{a}
}

func (s *server) quickFix(l *located, title string) *protocol.CodeAction {
	return &protocol.CodeAction{Title: title, Kind: protocol.QuickFix, Diagnostics: []protocol.Diagnostic{l.diagnostic}}
}

// disabled shows an action that cannot be chosen, if the editor does. s.mu is held.
func (s *server) disabled(a *protocol.CodeAction, reason string) []any {
	if !s.editor.disables {
		return nil
	}
	a.Disabled = &protocol.CodeActionDisabled{Reason: reason}
	return []any{a}
}

// ignores offers to answer for findings, each check of a line once. s.mu is held.
func (s *server) ignores(list []*located) (actions []any) {
	offered := make(map[string]bool)
	for _, l := range list {
		key := fmt.Sprint(l.Pos.Line, l.Check)
		if l.Check == "directive" || offered[key] { // one that is wrong is not answered for by another
			continue
		}
		offered[key] = true
		a := s.quickFix(l, fmt.Sprintf("lockvet: ignore %s here, with a reason", l.Check))
		version, changed := s.changed(l.file)
		if changed {
			actions = append(actions, s.disabled(a, "save the file first: the comment is put where the finding was")...)
			continue
		}
		content, err := untrusted.ReadFile(l.file, untrusted.MaxSource)
		if err != nil {
			continue
		}
		if edit, ok := ignoring(newText(content, s.editor.encoding), l.Pos.Line-1, l.Check); ok {
			a.Edit = &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
				s.editFile(l.file, version, edit),
			}}
			actions = append(actions, a)
		}
	}
	return actions
}

// ignoring puts a comment at a line, counted from 0, that answers for a check there. It reports false where none fits.
func ignoring(t *text, n int, check string) (protocol.TextEdit, bool) {
	e, ok := edit.Remark(t.content, n, directive.Comment(check, Reason))
	at := t.at(e.Start)
	return protocol.TextEdit{Range: protocol.Range{Start: at, End: at}, NewText: e.New}, ok
}

// execute says what is known of a line, as the result and as a message.
func (s *server) execute(ctx context.Context, params *protocol.ExecuteCommandParams) (any, error) {
	var at line
	switch {
	case params.Command != commandWhy:
		return nil, errorf(jsonrpc2.CodeInvalidParams, "there is no command %q", params.Command)
	case len(params.Arguments) != 1:
		return nil, errorf(jsonrpc2.CodeInvalidParams, "%s takes one argument", params.Command)
	}
	if err := json.Unmarshal(params.Arguments[0], &at); err != nil {
		return nil, errorf(jsonrpc2.CodeInvalidParams, "%s: %v", commandWhy, err)
	}
	name, ok := at.URI.File()
	if !ok {
		return nil, errorf(jsonrpc2.CodeInvalidParams, "%s is no file", at.URI)
	}
	s.mu.Lock()
	_, changed := s.changed(name)
	s.mu.Unlock()
	if changed {
		return nil, fmt.Errorf("save %s first: lockvet reads the file", filepath.Base(name))
	}
	e, done, err := s.withEngine(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	root, err := e.Root(name)
	if err != nil {
		return nil, err
	}
	answer, err := e.Why(ctx, root, name, int(at.Line)+1)
	if err != nil {
		return nil, err
	}
	s.tell(protocol.ShowMessage, protocol.MessageParams{Type: protocol.InfoMessage, Message: answer})
	return answer, nil
}

// resolve makes the edit of an action that was chosen. Where the editor does not create and delete files in an edit,
// the server does so before.
func (s *server) resolve(ctx context.Context, a *protocol.CodeAction) (*protocol.CodeAction, error) {
	if len(a.Data) == 0 {
		return a, nil
	}
	var c choice
	if err := json.Unmarshal(a.Data, &c); err != nil {
		return nil, errorf(jsonrpc2.CodeInvalidParams, "the data of the action: %v", err)
	}
	s.mu.Lock()
	found := s.found[c.File]
	s.mu.Unlock()
	i := slices.IndexFunc(found, func(l *located) bool { return l.Fingerprint == c.Fingerprint })
	if i < 0 {
		return nil, errors.New("the finding is not there any more")
	}
	e, done, err := s.withEngine(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	changes, err := e.Fix(ctx, found[i].root, &found[i].Finding)
	if err != nil {
		return nil, err
	}
	edit, byServer, err := s.editOf(changes)
	if err == nil && len(byServer) > 0 {
		_, err = repair.Write(ctx, byServer, nil)
	}
	a.Edit = edit
	return a, err
}

// editOf makes an edit of changes: new files first, since the others need them. What the editor cannot do
// is for the server.
func (s *server) editOf(changes []repair.Change) (edit *protocol.WorkspaceEdit, byServer []repair.Change, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var created, fresh, edited, gone []protocol.DocumentChange
	for _, c := range changes {
		version, changed := s.changed(c.Name)
		switch {
		case changed:
			return nil, nil, fmt.Errorf("save %s first: the fix edits it", filepath.Base(c.Name))
		case c.Old != nil && c.New != nil:
			old, now := withoutMark(c.Old), withoutMark(c.New)
			edited = append(edited, s.editFile(c.Name, version, newText(old, s.editor.encoding).edits(now)...))
		case !s.editor.creates:
			byServer = append(byServer, c)
		case c.New == nil:
			gone = append(gone, protocol.DocumentChange{Kind: protocol.Delete, URI: s.uriOf(c.Name)})
		default:
			if err := os.MkdirAll(filepath.Dir(c.Name), 0o777); err != nil { // which older editors do not do
				return nil, nil, err
			}
			created = append(created, protocol.DocumentChange{Kind: protocol.Create, URI: s.uriOf(c.Name)})
			fresh = append(fresh, s.editFile(c.Name, nil, protocol.TextEdit{NewText: string(c.New)}))
		}
	}
	return &protocol.WorkspaceEdit{DocumentChanges: slices.Concat(created, fresh, edited, gone)}, byServer, nil
}

// withoutMark is the content of a file without a byte order mark, which editors do not
// show.
func withoutMark(content []byte) []byte { return bytes.TrimPrefix(content, []byte("\ufeff")) }

// editFile edits a version of a file: nil where it is not open. s.mu is held.
func (s *server) editFile(name string, version *int32, edits ...protocol.TextEdit) protocol.DocumentChange {
	return protocol.DocumentChange{
		TextDocument: &protocol.OptionalVersionedTextDocumentIdentifier{URI: s.uriOf(name), Version: version},
		Edits:        edits,
	}
}
