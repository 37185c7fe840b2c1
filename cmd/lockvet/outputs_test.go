package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

func TestStyleOn(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		columns  int
		timeline bool
		env      map[string]string
		want     report.Style
	}{
		{false, 0, false, nil, report.Style{}},
		{false, 0, true, nil, report.Style{Timeline: true}},
		{true, 80, false, nil, report.Style{Timeline: true, Color: true, Width: 80}},
		{true, 0, false, map[string]string{"NO_COLOR": "1"}, report.Style{Timeline: true}},
		{true, 0, false, map[string]string{"TERM": "dumb"}, report.Style{Timeline: true}},
		{true, 80, false, map[string]string{"LANG": "en_US.UTF-8", "TERM": "dumb"}, report.Style{Timeline: true, Width: 80, Boxes: true}},
		{false, 0, false, map[string]string{"LC_CTYPE": "C.utf8", "LANG": "C"}, report.Style{Boxes: true}},
		{false, 0, false, map[string]string{"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, report.Style{}},
	} {
		env := func(name string) string { return c.env[name] }
		if got := styleOn(c.terminal, c.columns, c.timeline, env); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestPatchOn: a patch is printable on a terminal, and exact elsewhere.
func TestPatchOn(t *testing.T) {
	patch := []byte("-\ta // \x1b[8m hidden\r\n+\tb\n")
	if got := string(patchOn(true, patch)); got != "-\ta // ␛[8m hidden␍\n+\tb\n" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := patchOn(false, patch); string(got) != string(patch) {
		t.Errorf("elsewhere: %q", got)
	}
}

func TestAsked(t *testing.T) {
	for args, want := range map[string]string{
		"./...":                           " ./...",
		"-html out.html -json -C dir ./a": " -C dir ./a",
		"-html=out.html -sarif=x -format a=b ./a":     " ./a",
		"-enable tornwrite -summary s --format short": " -enable tornwrite",
		"html": " html",
	} {
		if got := asked(strings.Fields(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// TestTextIsNoCommand: a name that a source gives to a file begins a line of the text, and the runner of
// GitHub Actions takes no line of that for a command.
func TestTextIsNoCommand(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	var out bytes.Buffer
	s := &session{command: command{stdout: &out}, options: &options{}, printer: report.Printer{Dir: t.TempDir()}}
	doc := &report.Document{Findings: []report.Finding{{Pos: &report.Pos{File: "::error file=a.go::x", Line: 1, Column: 1}, Message: "m", Severity: report.Error}}}
	if err := s.printOut(func(report.Printer) *report.Document { return doc }); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?s)^::stop-commands::([A-Z0-9]{20,})\n::error file=a\.go::x.*\n::([A-Z0-9]+)::\n::error file=%3A%3Aerror[^\n]*\n$`)
	if m := want.FindStringSubmatch(out.String()); m == nil || m[1] != m[2] {
		t.Errorf("%q", out.String())
	}
}

// TestCleanWorkflow: a run without findings prints nothing, in a workflow of GitHub Actions either.
func TestCleanWorkflow(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	var out bytes.Buffer
	s := &session{command: command{stdout: &out}, options: &options{}, printer: report.Printer{Dir: t.TempDir()}}
	if err := s.printOut(func(report.Printer) *report.Document { return new(report.Document) }); err != nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
