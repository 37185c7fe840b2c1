package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/lsptest"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/repair"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// An engine finds each line of a file that has the word "lost" in it. Its methods fail the
// test when two are called at a time.
type engine struct {
	t    testing.TB
	busy sync.Mutex

	mu    sync.Mutex
	jobs  []string
	block chan struct{} // an analysis waits until it can receive, or is ended
	began chan struct{} // is sent to by one that waits
	fix   func() []repair.Change
	wrong []string // the problems of an analysis
}

func (e *engine) alone() func() {
	if !e.busy.TryLock() {
		e.t.Error("the engine does two things at a time")
		return func() {}
	}
	return e.busy.Unlock
}

func (e *engine) Root(file string) (string, error) {
	if strings.HasPrefix(filepath.Base(file), "no") {
		return "", errors.New("it is not analysed here")
	}
	return filepath.Dir(file), nil
}

func (e *engine) Analyse(ctx context.Context, root string, folders []string, importers bool) (*lsp.Analysis, error) {
	defer e.alone()()
	e.mu.Lock()
	e.jobs = append(e.jobs, fmt.Sprint(len(folders), importers))
	block := e.block
	e.mu.Unlock()
	if block != nil {
		e.began <- struct{}{}
		select {
		case <-block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	e.mu.Lock()
	a := &lsp.Analysis{Printer: report.Printer{Dir: root}, Folders: folders, Problems: e.wrong}
	e.mu.Unlock()
	names, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, text := range strings.Split(string(content), "\n") {
			at := strings.Index(text, "lost")
			if at < 0 {
				continue
			}
			pos := &report.Pos{File: filepath.Base(name), Line: i + 1, Column: at + 1}
			a.Findings = append(a.Findings, report.Finding{
				Check: "tornwrite", Category: "tornwrite/inplace", Severity: "warning", Fingerprint: fmt.Sprint(i),
				Pos: pos, End: &report.Pos{File: pos.File, Line: i + 1, Column: at + 5}, Message: "it is lost",
				Fix:      &report.Fix{Message: "Keep it"},
				Schedule: []report.Step{{Actor: "process A", Does: "is killed"}},
			})
		}
	}
	return a, nil
}

func (e *engine) Fix(context.Context, string, *report.Finding) ([]repair.Change, error) {
	defer e.alone()()
	return e.fix(), nil
}

func (e *engine) Why(ctx context.Context, _, _ string, n int) (string, error) {
	defer e.alone()()
	if n == 99 {
		select {
		case e.began <- struct{}{}:
		case <-ctx.Done(): // nobody has waited for its turn
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	return fmt.Sprint("line ", n), nil
}

// done are the analyses that were begun: how many folders, and whether importers.
func (e *engine) done() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.jobs)
}

// connect connects an editor to a server with the engine.
func connect(t testing.TB, e *engine) *lsptest.Editor {
	e.t = t
	e.began = make(chan struct{})
	return lsptest.Connect(t, func(ctx context.Context, r io.Reader, w io.WriteCloser) error {
		return lsp.Serve(ctx, r, w, lsp.Config{Version: "v1", NewEngine: func(flags []string) (lsp.Engine, error) {
			if len(flags) > 0 {
				return nil, errors.New(strings.Join(flags, " "))
			}
			return e, nil
		}})
	})
}

// write writes a file into a directory of the test.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func count(n int) func([]protocol.Diagnostic) bool {
	return func(list []protocol.Diagnostic) bool { return len(list) == n }
}

func TestLifecycle(t *testing.T) {
	e := connect(t, &engine{})
	ctx := context.Background()
	wantCode := func(when string, err error, code int64) {
		t.Helper()
		if lsptest.Code(err) != code {
			t.Errorf("%s: %v, want code %d", when, err, code)
		}
	}
	hover := protocol.HoverParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///a.go"}}
	wantCode("before initialize", e.Call(ctx, protocol.HoverAt, hover, nil), -32002)
	e.Tell(protocol.DidSave, hover) // and nothing happens
	err := e.Initialize(lsptest.Full(), map[string]any{"b": true, "a": []string{"x", "y"}, "c": 3})
	if err == nil || !strings.Contains(err.Error(), "-a=x,y -b=true -c=3") {
		t.Errorf("options: %v", err)
	}
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	if info := e.Result.ServerInfo; info.Name != "lockvet" {
		t.Errorf("the server is %v", info)
	}
	wantCode("a second time", e.Initialize(lsptest.Full(), nil), jsonrpc2.CodeInvalidRequest)
	wantCode("an unknown method", e.Call(ctx, "lockvet/unknown", nil, nil), jsonrpc2.CodeMethodNotFound)
	wantCode("an unknown command", e.Call(ctx, protocol.ExecuteCommand, protocol.ExecuteCommandParams{
		Command: "rm", Arguments: []json.RawMessage{json.RawMessage("1")},
	}, nil), jsonrpc2.CodeInvalidParams)
	wantCode("parameters of another type", e.Call(ctx, protocol.HoverAt, []int{1}, nil), jsonrpc2.CodeInvalidParams)
	e.Tell("$/unknown", []int{1})
	e.Tell(protocol.DidOpen, []int{1})
	e.Wait("a complaint", func(told lsptest.Told) bool { return len(told.Logged) == 1 })
	e.Wait("what to watch", func(told lsptest.Told) bool {
		return len(told.Watches) == 1 && strings.Contains(told.Watches[0], "**/*.go")
	})
	if got := e.Hover("/a.go", protocol.Position{}); got != nil {
		t.Errorf("a hover: %v", got)
	}
	if err := e.Call(ctx, protocol.Shutdown, nil, nil); err != nil {
		t.Fatal(err)
	}
	wantCode("behind shutdown", e.Call(ctx, protocol.HoverAt, hover, nil), jsonrpc2.CodeInvalidRequest)
	e.Tell(protocol.Exit, nil)
	if err := e.Served(); err != nil {
		t.Error(err)
	}
}

// An editor that goes, or has the server exit, without shutdown.
func TestNoShutdown(t *testing.T) {
	e := connect(t, &engine{})
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	e.Tell(protocol.Exit, nil)
	if err := e.Served(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("exit: %v", err)
	}
	e = connect(t, &engine{})
	e.Leave()
	if err := e.Served(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("the connection is closed: %v", err)
	}
}

// A save ends the analysis of what was there before, and the newer one is told.
func TestSaveSupersedes(t *testing.T) {
	of := &engine{block: make(chan struct{})}
	e := connect(t, of)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	name := write(t, t.TempDir(), "a.go", "package a\n// lost\n")
	e.Open(name)
	<-of.began
	e.Type(name, "package a\n// lost\n// lost\n")
	e.Save(name)
	<-of.began // the first one has ended, although nobody has let it go on
	e.Type(name, "package a\n// lost\n// lost\n// lost\n")
	e.Save(name)
	<-of.began
	of.mu.Lock()
	of.block = nil
	of.mu.Unlock()
	// A request that the engine is not needed for is answered meanwhile.
	e.Actions(name, 0)
	e.Save(name)
	e.Diagnostics(name, count(3))
	e.Wait("no other diagnostics", func(told lsptest.Told) bool { return told.Published[name] <= 2 }) // its own, and those of importers
	if err := e.Exit(); err != nil {
		t.Error(err)
	}
	if jobs := of.done(); jobs[0] != "1 false" || !slices.Contains(jobs, "1 true") && len(jobs) > 5 {
		t.Errorf("analyses: %q", jobs)
	}
}

// A problem is logged once, and again when it was gone in between.
func TestProblemsOnce(t *testing.T) {
	of := &engine{block: make(chan struct{})}
	e := connect(t, of)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	name := write(t, t.TempDir(), "a.go", "package a\n")
	e.Open(name)
	analyse := func(problems ...string) { // the package, and what imports it: opening a file ends neither
		for range 2 {
			<-of.began
			of.mu.Lock()
			of.wrong = problems
			of.mu.Unlock()
			of.block <- struct{}{}
		}
	}
	analyse("it is broken", "it is old")
	e.Open(name)
	analyse("it is broken")
	e.Open(name)
	analyse()
	e.Open(name)
	analyse("it is broken")
	e.Open(name)
	<-of.began // what was said before has been
	want := []string{"lockvet: it is broken", "lockvet: it is old", "lockvet: it is broken"}
	e.Wait("messages", func(told lsptest.Told) bool { return len(told.Logged) >= len(want) })
	if got := e.Logged(""); !slices.Equal(got, want) {
		t.Errorf("logged: %q", got)
	}
}

// A request is cancelled while the engine works on it, and while it waits for its turn.
func TestCancel(t *testing.T) {
	of := &engine{}
	e := connect(t, of)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	name := write(t, t.TempDir(), "a.go", "package a\n")
	why := func(ctx context.Context, line int) error {
		return e.Call(ctx, protocol.ExecuteCommand, protocol.ExecuteCommandParams{
			Command: "lockvet.why", Arguments: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"uri": %q, "line": %d}`, protocol.File(name), line))},
		}, nil)
	}
	working, stopWorking := context.WithCancel(context.Background())
	waiting, stopWaiting := context.WithCancel(context.Background())
	errs := make(chan error)
	go func() { errs <- why(working, 98) }()
	<-of.began
	go func() { errs <- why(waiting, 98) }()
	stopWaiting()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	stopWorking()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("working: %v", err)
	}
	if err := why(context.Background(), 4); err != nil {
		t.Error(err)
	}
	e.Wait("the answer", func(told lsptest.Told) bool { return slices.Equal(told.Shown, []string{"line 5"}) })
	if err := e.Exit(); err != nil {
		t.Error(err)
	}
}

// Characters are counted as the editor does.
func TestPositions(t *testing.T) {
	for _, encoding := range []string{protocol.UTF8, protocol.UTF16} {
		t.Run(encoding, func(t *testing.T) {
			e := connect(t, &engine{})
			can := lsptest.Full()
			if encoding == protocol.UTF8 {
				can.General.PositionEncodings = []string{protocol.UTF16, encoding}
			}
			if err := e.Initialize(can, nil); err != nil {
				t.Fatal(err)
			}
			if got := e.Result.Capabilities.PositionEncoding; got != encoding {
				t.Fatalf("the server counts in %s", got)
			}
			name := write(t, t.TempDir(), "a.go", "package a\n\nvar a = \"ä€😀\" // lost\r\n")
			e.Open(name)
			d := e.Diagnostics(name, count(1))[0]
			if got := e.Cut(e.Text(name), d.Range); got != "lost" {
				t.Errorf("the range is that of %q", got)
			}
			if want := map[string]uint32{protocol.UTF8: 23, protocol.UTF16: 18}[encoding]; d.Range.Start.Character != want {
				t.Errorf("it begins at character %d, want %d", d.Range.Start.Character, want)
			}
			if step := d.RelatedInformation[0]; step.Message != "1. process A is killed" || step.Location.Range.Start != d.Range.Start {
				t.Errorf("a step without a place is at %v: %s", step.Location.Range, step.Message)
			}
		})
	}
}

// An edit is for the version that was analysed, makes new files first, and takes away
// others last.
func TestEdits(t *testing.T) {
	dir := t.TempDir()
	src := "package a\n\n// lost\nvar s = `x\n lost` + y()\n"
	name, other, gone := write(t, dir, "a.go", src), write(t, dir, "go.mod", "module m"), write(t, dir, "gone.go", "package a\n")
	fresh := filepath.Join(dir, "internal", "b", "b.go")
	of := &engine{fix: func() []repair.Change {
		return []repair.Change{
			{Name: name, Old: []byte(src), New: []byte(strings.Replace(src, "// lost", "// kept\n// well", 1))},
			{Name: other, Old: []byte("module m"), New: []byte("module m\n\ngo 1.26")},
			{Name: gone, Old: []byte("package a\n")},
			{Name: fresh, New: []byte("package b\n")},
		}
	}}
	e := connect(t, of)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	e.Open(name)
	e.Open(gone)
	e.Diagnostics(name, count(2))
	e.Type(gone, "package a // more\n")
	if _, err := e.Choose(e.Actions(name, 2), "Keep it"); err == nil || !strings.Contains(err.Error(), "save gone.go first") {
		t.Errorf("another file is not saved: %v", err)
	}
	e.Save(gone)
	actions := e.Actions(name, 2)
	if _, err := e.Choose(actions, "Keep it"); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Text(name), strings.Replace(src, "// lost", "// kept\n// well", 1); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != "module m\n\ngo 1.26" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := os.ReadFile(fresh); err != nil || string(got) != "package b\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("gone.go is there")
	}
	if _, err := e.Choose(actions, "Keep it"); err == nil || !strings.Contains(err.Error(), "save a.go first") {
		t.Errorf("an action that was offered before: %v", err)
	}
}

// The comment that ignores a finding stands above its line, or behind it where a string
// goes on above.
func TestIgnore(t *testing.T) {
	e := connect(t, &engine{})
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	comment := "//lockvet:ignore tornwrite " + lsp.Reason
	for i, c := range []struct{ src, want string }{
		{"package a\n\nfunc f() {\n\tlost()\n}\n", "package a\n\nfunc f() {\n\t" + comment + "\n\tlost()\n}\n"},
		{"package a\r\n\r\nfunc f() {\r\n\tlost()\r\n}\r\n", "package a\r\n\r\nfunc f() {\r\n\t" + comment + "\r\n\tlost()\r\n}\r\n"},
		{"package a\n\nvar a = `x\ny` + lost\n", "package a\n\nvar a = `x\ny` + lost " + comment + "\n"},
		{"package a\n\nvar a = `x\ny` + lost + `\n`\n", ""},
	} {
		name := write(t, dir, fmt.Sprintf("a%d.go", i), c.src)
		e.Open(name)
		d := e.Diagnostics(name, count(1))[0]
		actions := e.Actions(name, d.Range.Start.Line)
		if c.want == "" {
			if strings.Contains(lsptest.Titles(actions), "ignore") {
				t.Errorf("%q: it is offered to ignore it", c.src)
			}
			continue
		}
		if _, err := e.Choose(actions, "ignore tornwrite"); err != nil {
			t.Fatal(err)
		}
		if got := e.Text(name); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}

// Files that change on the disk have what is open analysed again.
func TestWatched(t *testing.T) {
	e := connect(t, &engine{})
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := write(t, dir, "a.go", "package a\n")
	e.Open(name)
	e.Open(write(t, dir, "none.go", "package a\n"))
	e.Wait("that a file is not analysed", func(told lsptest.Told) bool { return len(told.Logged) == 1 })
	other := write(t, dir, "b.go", "package a // lost\n")
	e.Changed(other)
	e.Diagnostics(other, count(1))
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	e.Changed(other)
	e.Diagnostics(other, count(0))
}
