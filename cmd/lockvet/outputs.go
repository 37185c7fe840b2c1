package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"al.essio.dev/pkg/shellescape"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/git"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/page"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/bundle/safeio"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// speaks reports whether standard output is for people.
func (s *session) speaks() bool {
	out := s.outputs.toStdout()
	return len(out) == 0 || out[0].format == "text" || out[0].format == "short"
}

// print writes what was found, and what was fixed, in every form that was asked for:
// first what goes to standard output. Where one cannot be written, the others are, and
// the error says which.
func (s *session) print(found, fixed []*analyse.Found, seen sight) error {
	describe := func(p report.Printer) *report.Document {
		doc := p.Document(found, fixed, s.gaveUp)
		doc.Candidates, doc.Fails = s.silenced, s.fails
		s.describeRun(doc, p)
		return doc
	}
	errs := []error{s.printOut(describe)}
	for _, out := range s.outputs {
		if out.file != "" {
			errs = append(errs, s.writeOutput(out.file, s.form(out.format, describe)))
		}
	}
	if s.html != "" {
		errs = append(errs, s.writePage(describe(s.printer), seen))
	}
	return errors.Join(errs...)
}

// A description is the findings of a run, with the names of files as a printer has them.
type description func(report.Printer) *report.Document

// form is how a format is written.
func (s *session) form(format string, describe description) func(io.Writer) error {
	f := report.Formats[slices.IndexFunc(report.Formats, func(f report.Format) bool { return f.Name == format })]
	p := s.printer
	if f.FromRoot {
		p = s.atRoot()
	}
	return func(w io.Writer) error { return f.Write(p, w, describe(p)) }
}

// printOut writes what goes to standard output: the format that was asked for, or the
// text for people, and behind that what CI reads.
func (s *session) printOut(describe description) error {
	if out := s.outputs.toStdout(); len(out) > 0 && out[0].format != "text" {
		return s.form(out[0].format, describe)(s.stdout)
	}
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return s.printText(s.stdout, describe(s.printer))
	}
	var text bytes.Buffer
	if err := s.printText(&text, describe(s.printer)); err != nil {
		return err
	}
	if text.Len() > 0 { // to the runner, a line of it that begins with :: is a command, whoever wrote the text
		token := rand.Text()
		fmt.Fprintf(s.stdout, "::stop-commands::%s\n%s::%[1]s::\n", token, text.Bytes())
	}
	return report.Annotations(s.stdout, describe(s.atRoot()))
}

// printText writes the text for people.
func (s *session) printText(w io.Writer, doc *report.Document) error {
	if err := s.printer.Text(w, doc, s.style()); err != nil || len(s.silenced) == 0 {
		return err
	}
	if len(doc.Findings) > 0 {
		fmt.Fprintln(w)
	}
	return report.CandidatesText(w, s.silenced, s.columns())
}

// tellGaveUp says what the analysis gave up, on standard error.
func (s *session) tellGaveUp() {
	s.progress.clear()
	for _, line := range s.printer.Document(nil, nil, s.gaveUp).GaveUpLines() {
		fmt.Fprintln(s.stderr, printable.Text(line))
	}
}

// A sight is a file as the fixed finding of an index saw it.
type sight func(index int, name string) []byte

// writePage writes the page that was asked for.
func (s *session) writePage(doc *report.Document, seen sight) error {
	p := page.Page{
		Title:    filepath.Base(s.dir),
		Version:  moduleVersion(),
		About:    s.about(),
		Document: doc,
		Read:     s.printer.Sources(),
		ReadFixed: func(index int, name string) []byte {
			return seen(index, s.printer.Abs(name))
		},
	}
	return s.writeOutput(s.html, p.Write)
}

// about says which module was looked at, at which revision of git, if there is one, and by
// which command, wherever that writes to. The date is that of the revision: the same findings make the same page.
func (s *session) about() []page.Fact {
	var facts []page.Fact
	if len(s.modules) > 0 {
		facts = append(facts, page.Fact{Name: "module", Text: report.Enumerate(s.modules)})
	}
	if out, err := git.Run(s.dir, nil, "log", "-1", "--format=%h of %cs"); err == nil {
		revision := strings.TrimSpace(string(out))
		if changed, err := git.Run(s.dir, nil, "status", "--porcelain", "--untracked-files=no"); err == nil && len(changed) > 0 {
			revision += ", with changes"
		}
		facts = append(facts, page.Fact{Name: "revision", Text: revision})
	}
	return append(facts, page.Fact{Name: "command", Text: "lockvet" + asked(s.args)})
}

// asked is a command line without what says where the findings are written: what is found
// does not depend on that.
func asked(args []string) string {
	text := ""
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, _, attached := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
		case name == "json", name == "sarif":
			continue
		case name == "html", name == "format", name == "summary":
			if !attached && len(args) > 0 {
				args = args[1:]
			}
			continue
		}
		text += " " + shellescape.Quote(arg)
	}
	return text
}

// writeOutput replaces a file, named as the shell of the user has it: none outside of the repository
// by a link in it.
func (s *session) writeOutput(name string, form func(io.Writer) error) error {
	var content bytes.Buffer
	if err := form(&content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := s.insideRepository(name); err != nil {
		return err
	}
	if err := safeio.WriteFile(name, content.Bytes(), 0o666); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// insideRepository is an error if a file is one of the repository by its name, and links lead elsewhere.
func (s *session) insideRepository(name string) error {
	abs, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	root := s.atRoot().Dir
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if !inside(abs, root) && !inside(abs, real) {
		return nil
	}
	return untrusted.Inside(root, abs)
}

// atRoot is the printer for services that know files by their names in the
// repository: those of the directory of the run where it is in none.
func (s *session) atRoot() report.Printer {
	p := s.printer
	p.Dir = cmp.Or(upwards(p.Dir, ".git"), p.Dir)
	return p
}

// upwards is a folder, or the nearest one above it, in which a name stands; empty for none.
func upwards(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// style is how text looks where standard output leads.
func (s *session) style() report.Style {
	return styleOn(s.onTerminal(), s.columns(), s.timeline, os.Getenv)
}

// columns is how wide text may be on standard output: as COLUMNS says, which shells do not
// export by themselves, or else the terminal; 0 where neither does.
func (c command) columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !c.onTerminal() {
		return 0
	}
	n, _, err := term.GetSize(int(c.stdout.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return n
}

func (c command) onTerminal() bool {
	f, ok := c.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// styleOn is how text looks on a terminal, or elsewhere, in so many columns. NO_COLOR is
// the convention of no-color.org.
func styleOn(terminal bool, columns int, timeline bool, env func(string) string) report.Style {
	return report.Style{
		Width:    columns,
		Boxes:    isUTF8(env),
		Timeline: timeline || terminal,
		Color:    terminal && env("NO_COLOR") == "" && env("TERM") != "dumb",
	}
}

// isUTF8 reports whether the locale has the characters of Unicode: the first of these
// variables that is set decides (POSIX, Environment Variables, 8.2).
func isUTF8(env func(string) string) bool {
	locale := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
