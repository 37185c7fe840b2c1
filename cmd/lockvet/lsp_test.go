//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/lsptest"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// connect connects an editor to the server.
func connect(t testing.TB, args ...string) *lsptest.Editor {
	c := command{analyzer: analyzer.NewWithHelper, stdout: io.Discard, stderr: io.Discard}
	return lsptest.Connect(t, func(ctx context.Context, r io.Reader, w io.WriteCloser) error {
		return c.serve(ctx, r, w, args)
	})
}

// seedToEdit is a copy of a seed, for an editor that has said hello.
func seedToEdit(t *testing.T, seed string, options any) (e *lsptest.Editor, dir string) {
	dir = copySeed(t, seed)
	e = connect(t)
	if err := e.Initialize(lsptest.Full(), options); err != nil {
		t.Fatal(err)
	}
	return e, dir
}

func some(list []protocol.Diagnostic) bool { return len(list) > 0 }
func none(list []protocol.Diagnostic) bool { return len(list) == 0 }

// TestEditor takes an editor from a finding to its fix.
func TestEditor(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", nil)
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	list := e.Diagnostics(name, some)
	if len(list) != 2 {
		t.Fatalf("%d diagnostics, want 2: %v", len(list), list)
	}
	d := list[0]
	if got := e.Cut(e.Text(name), d.Range); got != "g.save(state)" {
		t.Errorf("the range is that of %q", got)
	}
	if d.Severity != protocol.SeverityError || d.Source != "lockvet" || d.Code != "lostupdate/unlocked" ||
		!strings.HasSuffix(d.CodeDescription.Href, "/docs/checks/lostupdate.md") {
		t.Errorf("severity %v, source %q, code %v, page %v", d.Severity, d.Source, d.Code, d.CodeDescription.Href)
	}
	if n := len(d.RelatedInformation); n != 4 {
		t.Fatalf("%d steps, want 4: %v", n, d.RelatedInformation)
	}
	for i, want := range []struct{ message, source string }{
		{"1. process A loads g.path", "g.load()"},
		{"2. process B loads the same content", "g.load()"},
		{"3. process B saves it with its change; the file holds the change of B", "g.save(state)"},
		{"4. process A saves what it loaded with its own change; the file holds the change of A, and not that of B", "g.save(state)"},
	} {
		got := d.RelatedInformation[i]
		if got.Message != want.message || got.Location.URI != protocol.File(name) || !strings.HasPrefix(e.Cut(e.Text(name), got.Location.Range), want.source) {
			t.Errorf("step %d: %q at %q", i+1, got.Message, e.Cut(e.Text(name), got.Location.Range))
		}
	}

	text := e.Hover(name, d.Range.Start).Contents.Value
	for _, want := range []string{
		"(\\*Gate).IsChecked loads g.path", "([lostupdate/unlocked](https://", "holds state:", "- `gate.go:105` (\\*Gate).load decodes it again",
		"```text\n", "│ process A", "│ process B", "│ the file holds", "✗ saves what it", "fix: Hold a lock",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the hover has no %q:\n%s", want, text)
		}
	}

	line := d.Range.Start.Line
	actions := e.Actions(name, line)
	if got, want := lsptest.Titles(actions), "lockvet: Hold a lock between processes from the load to the save, at all 2 places that save the file\n"+
		"lockvet: ignore lostupdate here, with a reason\nlockvet: why is this reported, or not?"; got != want {
		t.Errorf("actions:\n%s\nwant:\n%s", got, want)
	}
	if _, err := e.Choose(actions, "Hold a lock"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(e.Text(name), "safeio.Lock(") {
		t.Errorf("the fix was not made:\n%s", e.Text(name))
	}
	if _, err := e.Choose(e.Actions(name, line), "Hold a lock"); err == nil || !strings.Contains(err.Error(), "save the file first") {
		t.Errorf("a file that is not saved: %v", err)
	}
	e.Save(name)
	e.Diagnostics(name, none)
	if out, err := goIn(dir, "vet", "./..."); err != nil {
		t.Errorf("what was fixed does not vet: %s", out)
	}
	if err := e.Exit(); err != nil {
		t.Error(err)
	}
}

func goIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The reason for which a finding is ignored is for the user to say; the placeholder will
// do.
func TestEditorIgnores(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", nil)
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	list := e.Diagnostics(name, some)
	if _, err := e.Choose(e.Actions(name, list[0].Range.Start.Line), "ignore lostupdate"); err != nil {
		t.Fatal(err)
	}
	if want := "\n\t\t//lockvet:ignore lostupdate " + lsp.Reason + "\n\t\tif err := g.save(state); err != nil {"; !strings.Contains(e.Text(name), want) {
		t.Errorf("no comment above the line:\n%s", e.Text(name))
	}
	e.Save(name)
	e.Diagnostics(name, func(list []protocol.Diagnostic) bool { return len(list) == 1 })
}

// TestEditorOffersNotes: what is not shown, since the user has made a note of it, is offered to be fixed all the same.
func TestEditorOffersNotes(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", map[string]any{"severity": "lostupdate=note"})
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	e.Diagnostics(name, none)
	line := uint32(strings.Count(e.Text(name)[:strings.Index(e.Text(name), "g.save(state)")], "\n"))
	if h := e.Hover(name, protocol.Position{Line: line, Character: 20}); h != nil {
		t.Errorf("it is shown: %s", h.Contents.Value)
	}
	if _, err := e.Choose(e.Actions(name, line), "Hold a lock"); err != nil || !strings.Contains(e.Text(name), "safeio.Lock(") {
		t.Errorf("the fix was not made: %v", err)
	}
}

// TestEditorAsksWhy has the text of lockvet why, as a message and as the result.
func TestEditorAsksWhy(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", nil)
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	list := e.Diagnostics(name, some)
	text, err := e.Choose(e.Actions(name, list[0].Range.Start.Line), "why")
	if err != nil || !strings.Contains(text, "internal/gate/gate.go:66:13: lostupdate/unlocked: reported") {
		t.Errorf("%v:\n%s", err, text)
	}
	e.Wait("the answer", func(told lsptest.Told) bool { return len(told.Shown) == 1 && told.Shown[0] == text })
	if _, err := e.Choose(e.Actions(name, 0), "why"); err == nil || !strings.Contains(err.Error(), "is outside of all functions") {
		t.Errorf("the first line: %v", err)
	}
}

// For an editor that makes no files the server writes those that a fix adds.
func TestEditorWithoutFiles(t *testing.T) {
	t.Parallel()
	dir := copySeed(t, "gatestate")
	e := connect(t)
	can := lsptest.Full()
	can.Workspace.WorkspaceEdit.ResourceOperations = nil
	if err := e.Initialize(can, nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	list := e.Diagnostics(name, some)
	if _, err := e.Choose(e.Actions(name, list[0].Range.Start.Line), "Hold a lock"); err != nil {
		t.Fatal(err)
	}
	e.Save(name)
	e.Diagnostics(name, none)
	if out, err := goIn(dir, "vet", "./..."); err != nil {
		t.Errorf("what was fixed does not vet: %s", out)
	}
}

// A file that does not compile has no diagnostics, and its problem is logged once.
func TestEditorBroken(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", nil)
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	e.Diagnostics(name, some)
	good := e.Text(name)
	e.Type(name, good+"\nfunc broken() { return 1 + }\n")
	e.Save(name)
	e.Diagnostics(name, none)
	e.Wait("the problem", func(told lsptest.Told) bool {
		return strings.Contains(strings.Join(told.Logged, "\n"), "gate.go:") && strings.Contains(strings.Join(told.Logged, "\n"), "expected operand")
	})
	e.Save(name)
	e.Save(name)
	e.Type(name, good)
	e.Save(name)
	e.Diagnostics(name, some)
	if logged := e.Logged("expected operand"); len(logged) != 1 {
		t.Errorf("the problem was logged %d times: %q", len(logged), logged)
	}
}

// TestEditorConfiguration: where the configuration cannot be read nothing is found, and the user is told
// which file says what, once.
func TestEditorConfiguration(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", nil)
	if err := os.WriteFile(filepath.Join(dir, ".lockvet.yaml"), []byte("enable: !!x y\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	e.Wait("the error", func(told lsptest.Told) bool {
		return len(told.Shown) > 0 && strings.Contains(told.Shown[0], ".lockvet.yaml: line 1: enable: a list is wanted")
	})
	if err := os.Remove(filepath.Join(dir, ".lockvet.yaml")); err != nil {
		t.Fatal(err)
	}
	e.Save(name)
	e.Diagnostics(name, some)
}

// What is no module's is not analysed, and neither is what others wrote.
func TestEditorElsewhere(t *testing.T) {
	t.Parallel()
	e := connect(t)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	e.Open(name)
	e.Save(name)
	root, err := goIn(".", "env", "GOROOT")
	if err != nil {
		t.Fatal(root)
	}
	e.Open(filepath.Join(strings.TrimSpace(root), "src", "os", "file.go"))
	e.Wait("two messages", func(told lsptest.Told) bool {
		all := strings.Join(told.Logged, "\n")
		return strings.Contains(all, "there is no go.mod") && strings.Contains(all, "not of a module that you work on")
	})
	if got := e.Logged("no go.mod"); len(got) != 1 {
		t.Errorf("logged %d times", len(got))
	}
	if err := e.Exit(); err != nil {
		t.Error(err)
	}
}

// The flags of the command are options of the editor.
func TestEditorOptions(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "sessionsave", map[string]any{"disable": []string{"tornwrite", "lostupdate"}, "severity": "trunclock=warning"})
	name := filepath.Join(dir, "internal", "session", "document.go")
	e.Open(name)
	for _, d := range e.Diagnostics(name, some) {
		if strings.HasPrefix(d.Code, "tornwrite") || strings.HasPrefix(d.Code, "trunclock") != (d.Severity == protocol.SeverityWarning) {
			t.Errorf("%s, severity %d", d.Code, d.Severity)
		}
	}
	for _, c := range []struct {
		options any
		want    string
	}{
		{map[string]any{"fix": true}, "-fix has no meaning for lockvet lsp"},
		{map[string]any{"disable": "latelok"}, "latelok"},
		{map[string]any{"speed": 3}, "-speed"},
		{map[string]any{"tags": nil}, "no value of a flag"},
		{[]int{1}, "not an object"},
	} {
		if err := connect(t).Initialize(lsptest.Full(), c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("options %v: %v, want %s", c.options, err, c.want)
		}
	}
}

// TestEditorLock: whoever sits before an editor decides upon a lock around what is a warning, too.
func TestEditorLock(t *testing.T) {
	t.Parallel()
	e, dir := seedToEdit(t, "gatestate", map[string]any{"severity": "lostupdate=warning"})
	name := filepath.Join(dir, "internal", "gate", "gate.go")
	e.Open(name)
	list := e.Diagnostics(name, some)
	if _, err := e.Choose(e.Actions(name, list[0].Range.Start.Line), "Hold a lock"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(e.Text(name), "safeio.Lock(") {
		t.Errorf("the fix was not made:\n%s", e.Text(name))
	}
}

// What imports a package that was saved is analysed again.
func TestEditorImporters(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"store/store.go": `package store

import "os"

func Save(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }
`,
		"main.go": `package main

import (
	"encoding/json"
	"os"

	"example.com/m/store"
)

type Session struct{ Name string }

func load() (s Session, err error) {
	data, err := os.ReadFile("session.json")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

func save(s Session) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return store.Save("session.json", data)
}

func main() {
	s, err := load()
	if err == nil {
		err = save(s)
	}
	if err != nil {
		panic(err)
	}
}
`,
	}
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := connect(t)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	store, main := filepath.Join(dir, "store", "store.go"), filepath.Join(dir, "main.go")
	e.Open(store)
	torn := func(list []protocol.Diagnostic) bool {
		return slices.ContainsFunc(list, func(d protocol.Diagnostic) bool { return d.Code == "tornwrite/inplace" })
	}
	e.Diagnostics(main, torn) // which is not open
	e.Type(store, strings.Replace(e.Text(store), "return os.WriteFile(name, data, 0o600)", "return nil", 1))
	e.Type(store, strings.Replace(e.Text(store), "import \"os\"\n", "", 1))
	e.Save(store)
	e.Diagnostics(main, func(list []protocol.Diagnostic) bool { return !torn(list) })
}
