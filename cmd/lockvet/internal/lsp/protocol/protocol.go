// Package protocol is the part of the Language Server Protocol, version 3.17, that the
// server speaks: messages as they are encoded. What editors say beyond that is ignored
// when it is decoded. How messages travel is known to a library for JSON-RPC.
package protocol

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// Methods that an editor calls.
const (
	Initialize            = "initialize"
	Initialized           = "initialized"
	Shutdown              = "shutdown"
	Exit                  = "exit"
	CancelRequest         = "$/cancelRequest"
	DidOpen               = "textDocument/didOpen"
	DidChange             = "textDocument/didChange"
	DidSave               = "textDocument/didSave"
	DidClose              = "textDocument/didClose"
	HoverAt               = "textDocument/hover"
	CodeActions           = "textDocument/codeAction"
	ResolveCodeAction     = "codeAction/resolve"
	ExecuteCommand        = "workspace/executeCommand"
	DidChangeWatchedFiles = "workspace/didChangeWatchedFiles"
)

// Methods that the server calls.
const (
	PublishDiagnostics = "textDocument/publishDiagnostics"
	LogMessage         = "window/logMessage"
	ShowMessage        = "window/showMessage"
	RegisterCapability = "client/registerCapability"
)

// Codes of errors.
const (
	ServerNotInitialized = -32002
	RequestCancelled     = -32800
	RequestFailed        = -32803
)

// InitializeParams are what an editor says of itself.
type InitializeParams struct {
	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions json.RawMessage    `json:"initializationOptions,omitempty"`
}

// ClientCapabilities are what an editor can do.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings,omitempty"`
	} `json:"general"`
	TextDocument struct {
		Hover struct {
			ContentFormat []string `json:"contentFormat,omitempty"`
		} `json:"hover"`
		CodeAction struct {
			DataSupport     bool `json:"dataSupport,omitempty"`
			DisabledSupport bool `json:"disabledSupport,omitempty"`
			ResolveSupport  struct {
				Properties []string `json:"properties,omitempty"`
			} `json:"resolveSupport"`
		} `json:"codeAction"`
	} `json:"textDocument"`
	Workspace struct {
		WorkspaceEdit struct {
			ResourceOperations []string `json:"resourceOperations,omitempty"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration,omitempty"`
		} `json:"didChangeWatchedFiles"`
	} `json:"workspace"`
}

// Encodings of positions.
const (
	UTF8  = "utf-8"
	UTF16 = "utf-16"
)

// InitializeResult is what the server says of itself.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	} `json:"serverInfo"`
}

// ServerCapabilities are what the server can do.
type ServerCapabilities struct {
	PositionEncoding string `json:"positionEncoding"`
	TextDocumentSync struct {
		OpenClose bool `json:"openClose"`
		Change    int  `json:"change"`
		Save      bool `json:"save"`
	} `json:"textDocumentSync"`
	HoverProvider      bool `json:"hoverProvider"`
	CodeActionProvider struct {
		CodeActionKinds []string `json:"codeActionKinds"`
		ResolveProvider bool     `json:"resolveProvider"`
	} `json:"codeActionProvider"`
	ExecuteCommandProvider struct {
		Commands []string `json:"commands"`
	} `json:"executeCommandProvider"`
}

// Incremental has an editor send the parts of a document that change.
const Incremental = 2

// CancelParams name a request by its identifier, a number or a string.
type CancelParams struct {
	ID jsonrpc2.ID `json:"id"`
}

// A TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI URI `json:"uri"`
}

// DocumentParams tell that a document was opened, with this text, or changed on the screen, saved or closed.
type DocumentParams struct {
	TextDocument struct {
		URI     URI    `json:"uri"`
		Version int32  `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

// DidChangeWatchedFilesParams tell which files were created, changed or deleted on the disk.
type DidChangeWatchedFilesParams struct {
	Changes []TextDocumentIdentifier `json:"changes"`
}

// A Position is a line, counted from 0, and a character of it, counted from 0 in units of
// the encoding that was agreed on.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// A Range is from a position up to another.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Location is a range of a document.
type Location struct {
	URI   URI   `json:"uri"`
	Range Range `json:"range"`
}

// PublishDiagnosticsParams are all that is found in a document.
type PublishDiagnosticsParams struct {
	URI         URI          `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// The severities of diagnostics.
const (
	SeverityError       = 1
	SeverityWarning     = 2
	SeverityInformation = 3
)

// A Diagnostic is something that is found in a document.
type Diagnostic struct {
	Range           Range  `json:"range"`
	Severity        int    `json:"severity"`
	Code            string `json:"code"`
	CodeDescription struct {
		Href string `json:"href"` // the address of a page about the code
	} `json:"codeDescription"`
	Source             string               `json:"source"`
	Message            string               `json:"message"`
	RelatedInformation []RelatedInformation `json:"relatedInformation,omitempty"`
}

// RelatedInformation is something that is to be said of another place.
type RelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// HoverParams ask what is to be said of a place.
type HoverParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
}

// A Hover is what is to be said of a place.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    Range         `json:"range"`
}

// Kinds of markup.
const (
	PlainText = "plaintext"
	Markdown  = "markdown"
)

// MarkupContent is a text of a kind.
type MarkupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// QuickFix is the kind of the actions that deal with a diagnostic.
const QuickFix = "quickfix"

// Automatic is the trigger of an editor that asks for actions by itself.
const Automatic = 2

// CodeActionParams ask for the actions at a range.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	// Context says what an editor asks for actions for.
	Context struct {
		Only        []string `json:"only,omitempty"`
		TriggerKind int      `json:"triggerKind,omitempty"`
	} `json:"context"`
}

// A CodeAction is an edit, or a command, that a user can choose.
type CodeAction struct {
	Title       string              `json:"title"`
	Kind        string              `json:"kind,omitempty"`
	Diagnostics []Diagnostic        `json:"diagnostics,omitempty"`
	IsPreferred bool                `json:"isPreferred,omitempty"`
	Disabled    *CodeActionDisabled `json:"disabled,omitempty"`
	Edit        *WorkspaceEdit      `json:"edit,omitempty"`
	Command     *Command            `json:"command,omitempty"`
	Data        json.RawMessage     `json:"data,omitempty"`
}

// CodeActionDisabled says why an action cannot be chosen.
type CodeActionDisabled struct {
	Reason string `json:"reason"`
}

// A Command is one that the server executes.
type Command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// ExecuteCommandParams say which command is to be executed.
type ExecuteCommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// A WorkspaceEdit is edits of several documents, and operations on files.
type WorkspaceEdit struct {
	DocumentChanges []DocumentChange `json:"documentChanges,omitempty"`
}

// Kinds of operations on files.
const (
	Create = "create"
	Delete = "delete"
)

// A DocumentChange is an operation on the file URI, where it has a kind, or edits of the
// document TextDocument.
type DocumentChange struct {
	Kind         string                                   `json:"kind,omitempty"`
	URI          URI                                      `json:"uri,omitempty"`
	TextDocument *OptionalVersionedTextDocumentIdentifier `json:"textDocument,omitempty"`
	Edits        []TextEdit                               `json:"edits,omitempty"`
}

// An OptionalVersionedTextDocumentIdentifier names a version of a document, or a file that
// is not open, whose version is null.
type OptionalVersionedTextDocumentIdentifier struct {
	URI     URI    `json:"uri"`
	Version *int32 `json:"version"`
}

// A TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// The types of messages.
const (
	ErrorMessage   = 1
	WarningMessage = 2
	InfoMessage    = 3
)

// MessageParams are a message to the user, or to the log.
type MessageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
