package lsp

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// hover explains the findings at a position: nil where there are none.
func (s *server) hover(params *protocol.HoverParams) *protocol.Hover {
	name, ok := params.TextDocument.URI.File()
	if !ok {
		return nil
	}
	list := s.at(name, protocol.Range{Start: params.Position, End: params.Position})
	list = slices.DeleteFunc(list, func(l *located) bool { return l.quiet })
	if len(list) == 0 {
		return nil
	}
	s.mu.Lock()
	markdown := s.editor.markdown
	s.mu.Unlock()
	var parts []string
	for _, l := range list {
		if markdown {
			parts = append(parts, l.printer.Markdown(&l.Finding))
		} else {
			parts = append(parts, l.printer.Plain(&l.Finding))
		}
	}
	h := &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.PlainText, Value: strings.Join(parts, "\n")}, Range: list[0].diagnostic.Range}
	if markdown {
		h.Contents = protocol.MarkupContent{Kind: protocol.Markdown, Value: strings.Join(parts, "\n---\n\n")}
	}
	return h
}
