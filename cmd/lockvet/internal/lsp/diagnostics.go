package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// A located finding is one with its place in the editor.
type located struct {
	report.Finding
	file       string
	root       string
	printer    report.Printer
	quiet      bool // it is not shown
	diagnostic protocol.Diagnostic
}

// analyse has the package of a file analysed, and what imports it.
func (s *server) analyse(file string, changed bool) {
	if filepath.Ext(file) != ".go" {
		return
	}
	s.mu.Lock()
	engine := s.engine
	s.mu.Unlock()
	root, err := engine.Root(file)
	if err != nil {
		s.complain(file, protocol.InfoMessage, fmt.Sprintf("%s is not analysed: %v", file, err))
		return
	}
	s.work.add(job{kind{root: root}, []string{filepath.Dir(file)}}, changed)
}

// analyseAll does what is in the queue until no more work is wanted.
func (s *server) analyseAll() {
	for {
		ctx, j, ok := s.work.next(s.working)
		if !ok {
			return
		}
		a, err := s.do(ctx, j)
		ended := ctx.Err() != nil
		switch {
		case ended:
			s.work.add(j, false) // another one comes first
		case err != nil:
			s.complain(fmt.Sprint(j.root, j.importers), protocol.ErrorMessage, err.Error())
		default:
			s.complain(fmt.Sprint(j.root, j.importers), protocol.WarningMessage, a.Problems...)
			s.publish(j.root, a)
			if !j.importers {
				s.work.add(job{kind{true, j.root}, j.folders}, false)
			}
		}
	}
}

func (s *server) do(ctx context.Context, j job) (*Analysis, error) {
	e, done, err := s.withEngine(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return e.Analyse(ctx, j.root, j.folders, j.importers)
}

// publish tells the editor what was found in the folders of an analysis, and no more what
// was found there before.
func (s *server) publish(root string, a *Analysis) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := make(map[string][]*located)
	for name := range s.found {
		if slices.Contains(a.Folders, filepath.Dir(name)) {
			fresh[name] = nil
		}
	}
	texts := make(map[string]*text)
	for i, f := range slices.Concat(a.Findings, a.Quiet) {
		l := &located{Finding: f, file: a.Printer.Abs(f.Pos.File), root: root, printer: a.Printer, quiet: i >= len(a.Findings)}
		l.diagnostic = s.diagnostic(l, texts)
		fresh[l.file] = append(fresh[l.file], l)
	}
	for name, list := range fresh {
		params := protocol.PublishDiagnosticsParams{URI: s.uriOf(name), Diagnostics: []protocol.Diagnostic{}}
		for _, l := range list {
			if !l.quiet {
				params.Diagnostics = append(params.Diagnostics, l.diagnostic)
			}
		}
		if d := s.documents[name]; d != nil && !d.changed {
			version := d.version
			params.Version = &version
		}
		if s.found[name] = list; len(list) == 0 {
			delete(s.found, name)
		}
		s.tell(protocol.PublishDiagnostics, params)
	}
}

var severities = map[report.Severity]int{
	report.Error:   protocol.SeverityError,
	report.Warning: protocol.SeverityWarning,
	report.Note:    protocol.SeverityInformation,
}

// diagnostic is a finding as editors show it. The schedule are its related places.
func (s *server) diagnostic(l *located, texts map[string]*text) protocol.Diagnostic {
	in := func(pos *report.Pos) *text {
		name := l.printer.Abs(pos.File)
		if texts[name] == nil {
			content, _ := untrusted.ReadFile(name, untrusted.MaxSource) // places in one that is gone are at its beginning
			texts[name] = newText(content, s.editor.encoding)
		}
		return texts[name]
	}
	d := protocol.Diagnostic{
		Range:    in(l.Pos).place(l.Pos, l.End),
		Severity: severities[l.Severity],
		Code:     l.Category,
		Source:   "lockvet",
		Message:  l.Message,
	}
	d.CodeDescription.Href = report.PageOf(l.Check)
	for i, step := range l.Schedule {
		at := l.Pos // of what has no place, such as a crash
		if step.Pos != nil {
			at = step.Pos
		}
		d.RelatedInformation = append(d.RelatedInformation, protocol.RelatedInformation{
			Location: protocol.Location{URI: s.uriOf(l.printer.Abs(at.File)), Range: in(at).place(at, nil)},
			Message:  fmt.Sprintf("%d. %s", i+1, step),
		})
	}
	return d
}

// at are the findings of a file of which a part is in a range.
func (s *server) at(file string, r protocol.Range) []*located {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*located
	for _, l := range s.found[file] {
		if of := l.diagnostic.Range; !before(r.End, of.Start) && !before(of.End, r.Start) {
			list = append(list, l)
		}
	}
	return list
}

// changed reports whether a file is open and not what is on the disk, and says which
// version of it is open, nil for none. s.mu is held.
func (s *server) changed(file string) (version *int32, changed bool) {
	d := s.documents[file]
	if d == nil {
		return nil, false
	}
	v := d.version
	return &v, d.changed
}

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
