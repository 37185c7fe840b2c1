package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/internal/config"
)

// An editor is what the editor can do.
type editor struct {
	encoding string
	markdown bool // shows Markdown in a hover
	fixes    bool // asks for the edit of an action when that is chosen
	disables bool // shows actions that cannot be chosen, and why
	creates  bool // creates and deletes files as a part of an edit
	watches  bool // tells of files that change on the disk
}

func newEditor(c *protocol.ClientCapabilities) editor {
	action, edit := &c.TextDocument.CodeAction, &c.Workspace.WorkspaceEdit
	e := editor{
		encoding: protocol.UTF16,
		markdown: slices.Contains(c.TextDocument.Hover.ContentFormat, protocol.Markdown),
		fixes:    action.DataSupport && slices.Contains(action.ResolveSupport.Properties, "edit"),
		disables: action.DisabledSupport,
		creates: slices.Contains(edit.ResourceOperations, protocol.Create) &&
			slices.Contains(edit.ResourceOperations, protocol.Delete),
		watches: c.Workspace.DidChangeWatchedFiles.DynamicRegistration,
	}
	if slices.Contains(c.General.PositionEncodings, protocol.UTF8) {
		e.encoding = protocol.UTF8
	}
	return e
}

// flagsOf are initialization options as flags of the command: an object with their names
// and values, as {"disable": ["latelock"], "tests": true}.
func flagsOf(options json.RawMessage) ([]string, error) {
	if len(options) == 0 || string(options) == "null" {
		return nil, nil
	}
	var all map[string]any
	if err := json.Unmarshal(options, &all); err != nil {
		if string(options) == "[]" {
			return nil, nil // what an empty table of Lua is
		}
		return nil, fmt.Errorf("the initialization options are not an object with flags: %w", err)
	}
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, ok := config.FlagText(all[name])
		if !ok {
			return nil, fmt.Errorf("initialization option %q: %v is no value of a flag", name, all[name])
		}
		flags = append(flags, "-"+name+"="+value)
	}
	return flags, nil
}

// uriOf is what the editor calls a file. s.mu is held.
func (s *server) uriOf(name string) protocol.URI {
	if d := s.documents[name]; d != nil {
		return d.uri
	}
	return protocol.File(name)
}
