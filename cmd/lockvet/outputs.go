package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/page"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/printable"
)

// speaks reports whether standard output is for people.
func (s *session) speaks() bool { return !s.json.toStdout() && !s.sarif.toStdout() }

// print writes what was found, and what was mended, in every form that was
// asked for.
func (s *session) print(found, mended []*analyse.Found, seen sight) error {
	doc := s.printer.Document(found, mended, s.gaveUp)
	doc.Candidates = s.silenced
	if err := s.emit(s.json, func(w io.Writer) error { return report.JSON(w, doc) }); err != nil {
		return err
	}
	root := s.atRoot()
	scanned := root.Document(found, nil, s.gaveUp)
	if err := s.emit(s.sarif, func(w io.Writer) error { return root.SARIF(w, scanned, moduleVersion()) }); err != nil {
		return err
	}
	if err := s.writePage(doc, seen); err != nil {
		return err
	}
	if !s.speaks() {
		return nil
	}
	if err := s.printer.Text(s.stdout, doc, s.style()); err != nil {
		return err
	}
	if len(s.silenced) > 0 {
		if len(found) > 0 {
			fmt.Fprintln(s.stdout)
		}
		if err := report.CandidatesText(s.stdout, s.silenced); err != nil {
			return err
		}
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		return report.Annotations(s.stdout, scanned)
	}
	return nil
}

// tellGaveUp says what the analysis gave up, on standard error.
func (s *session) tellGaveUp() {
	s.progress.clear()
	for _, line := range s.printer.Document(nil, nil, s.gaveUp).GaveUpLines() {
		fmt.Fprintln(s.stderr, printable.Text(line))
	}
}

// A sight is a file as the mended finding of an index saw it.
type sight func(index int, name string) []byte

// writePage writes the page that was asked for.
func (s *session) writePage(doc *report.Document, seen sight) error {
	if s.html == "" {
		return nil
	}
	p := page.Page{
		Title:    filepath.Base(s.dir),
		Version:  moduleVersion(),
		Document: doc,
		Read:     s.printer.Sources(),
		ReadMended: func(index int, name string) []byte {
			return seen(index, s.printer.Abs(name))
		},
	}
	return s.writeOutput(s.html, p.Write)
}

// emit writes one form of output to where it was asked for.
func (s *session) emit(to output, form func(io.Writer) error) error {
	switch {
	case !to.asked:
		return nil
	case to.file == "":
		return form(s.stdout)
	}
	return s.writeOutput(to.file, form)
}

// writeOutput replaces a file, named as the shell of the user has it.
func (s *session) writeOutput(name string, form func(io.Writer) error) error {
	var content bytes.Buffer
	if err := form(&content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := s.write(name, content.Bytes(), 0o666); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// atRoot is the printer for services that know files by their names in the
// repository: those of the directory of the run where it is in none.
func (s *session) atRoot() report.Printer {
	p := s.printer
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			p.Dir = dir
			return p
		}
		if dir == filepath.Dir(dir) {
			return p
		}
	}
}

// style is how text looks where standard output leads.
func (s *session) style() report.Style { return styleOn(s.onTerminal(), s.timeline, os.Getenv) }

func (s *session) onTerminal() bool {
	f, ok := s.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// styleOn is how text looks on a terminal, or elsewhere. NO_COLOR is the
// convention of no-color.org.
func styleOn(terminal, timeline bool, env func(string) string) report.Style {
	return report.Style{
		Timeline: timeline || terminal,
		Color:    terminal && env("NO_COLOR") == "" && env("TERM") != "dumb",
	}
}
