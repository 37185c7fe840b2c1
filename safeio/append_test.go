package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func init() {
	errands["append"] = func(args []string) error { return Append(args[0], readContent(args[1]), 0o644) }
	errands["die-append"] = func(args []string) error {
		return dying(args[2]).Append(args[0], readContent(args[1]), 0o644)
	}
	errands["half-append"] = func(args []string) error { return halfAppend(args[0], readContent(args[1])) }
}

// halfAppend dies in the middle of its write.
func halfAppend(name string, record []byte) error {
	die := dying("1").hook
	o := Options{hook: func(step string) error {
		if step != "write" {
			return nil
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		f.Write(record[:len(record)/2])
		return die(step)
	}}
	return o.Append(name, record, 0o644)
}

// memoryDir is a directory whose syncs cost nothing, if there is one, for tests
// that write very often.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "safeio-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// recordsOf reads all that Records has of a file. Torn records are given as
// "torn <line> <offset> <piece>".
func recordsOf(t *testing.T, name string) []string {
	t.Helper()
	var got []string
	for record, err := range Records(name) {
		var torn *TornError
		switch {
		case errors.As(err, &torn) && errors.Is(err, ErrTorn):
			got = append(got, fmt.Sprintf("torn %d %d %s", torn.Line, torn.Offset, torn.Piece))
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(record))
		}
	}
	return got
}

func wantRecords(t *testing.T, name string, want ...string) {
	t.Helper()
	if got := recordsOf(t, name); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("records %.200q, want %.200q", got, want)
	}
}

func mustAppend(t *testing.T, name, record string) {
	t.Helper()
	needLocks(t)
	if err := Append(name, []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAppend(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	var want []string
	for _, record := range []string{"one", "", "a\rb\x00\x18c\xff", strings.Repeat("x", 300<<10), "\r", "last"} {
		mustAppend(t, name, record)
		want = append(want, record)
		wantRecords(t, name, want...)
		wantContent(t, name, strings.Join(want, "\n")+"\n")
	}
	wantOnly(t, dir, "log", ".safeio-log.lock")
}

func TestAppendJSON(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	for _, v := range []any{map[string]string{"text": "two\nlines"}, json.RawMessage("{\n\"a\":\n1}"), nil} {
		if err := AppendJSON(name, v, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"text":"two\nlines"}` + "\n" + `{"a":1}` + "\nnull\n"
	wantContent(t, name, want)

	err := AppendJSON(name, make(chan int), 0o644)
	var pe *fs.PathError
	var unsupported *json.UnsupportedTypeError
	if !errors.As(err, &pe) || pe.Path != name || !errors.As(err, &unsupported) {
		t.Errorf("a channel: %v", err)
	}
	wantContent(t, name, want)
}

func TestAppendRefusesWhatIsNoLine(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	for _, record := range []string{"\n", "a\nb", "a\n", "\x18", "a\x18"} {
		err := Append(filepath.Join(dir, "log"), []byte(record), 0o644)
		var pe *fs.PathError
		if !errors.Is(err, fs.ErrInvalid) || !errors.As(err, &pe) {
			t.Errorf("%q: %v", record, err)
		}
	}
	wantOnly(t, dir)
}

// TestAppendErrorsOfOS compares with what os.OpenFile says about the same name.
func TestAppendErrorsOfOS(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "file"), "old\n", 0o644)
	sep := string(filepath.Separator)
	for what, name := range map[string]string{
		"no such directory": filepath.Join(dir, "none", "log"),
		"directory":         dir,
		"directory, slash":  dir + sep,
		"nothing, slash":    filepath.Join(dir, "none") + sep,
		"below a file":      filepath.Join(dir, "file", "log"),
		"empty name":        "",
		"too long":          filepath.Join(dir, strings.Repeat("n", 300)),
	} {
		_, want := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		err := Append(name, []byte("new"), 0o644)
		var pe *fs.PathError
		if want == nil || !errors.As(err, &pe) || pe.Path != name || !errors.Is(err, cause(want)) {
			t.Errorf("%s: Append says %v, os.OpenFile %v", what, err, want)
		}
	}
	wantOnly(t, dir, "file")
}

func TestAppendFollowsLinks(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	for _, sub := range []string{"links", "real"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "links", "log")
	symlink(t, filepath.Join("..", "real", "log"), link)
	for range 2 { // dangling, then not
		mustAppend(t, link, "a")
	}
	wantContent(t, filepath.Join(dir, "real", "log"), "a\na\n")
	wantOnly(t, filepath.Join(dir, "links"), "log")
	wantOnly(t, filepath.Join(dir, "real"), "log", ".safeio-log.lock")
	wantRecords(t, link, "a", "a")
}

// TestTornTail has what dead writers leave, what the next Append makes of it,
// and what Records says before and after.
func TestTornTail(t *testing.T) {
	needLocks(t)
	for _, test := range []struct {
		left, healed  string
		before, after string // of Records, joined
	}{
		{"", "next\n", "", "next"},
		{"a\n", "a\nnext\n", "a", "a,next"},
		{"\n", "\nnext\n", "", ",next"},
		{"a\nb", "a\nb\x18\nnext\n", "a,torn 2 2 b", "a,torn 2 2 b,next"},
		{"b", "b\x18\nnext\n", "torn 1 0 b", "torn 1 0 b,next"},
		{"a\n\x18", "a\n\x18\x18\nnext\n", "a,torn 2 2 ", "a,torn 2 2 ,next"},     // torn behind a CAN
		{"a\nb\x18", "a\nb\x18\x18\nnext\n", "a,torn 2 2 b", "a,torn 2 2 b,next"}, // or its healer died
		{"a\nb\x18\n", "a\nb\x18\nnext\n", "a,torn 2 2 b", "a,torn 2 2 b,next"},   // or did not append
		{`{"a":1}`, "{\"a\":1}\nnext\n", `{"a":1}`, `{"a":1},next`},               // whole
	} {
		name := filepath.Join(t.TempDir(), "log")
		mustWrite(t, name, test.left, 0o644)
		if got := strings.Join(recordsOf(t, name), ","); got != test.before {
			t.Errorf("%q: records %q, want %q", test.left, got, test.before)
		}
		mustAppend(t, name, "next")
		wantContent(t, name, test.healed)
		if got := strings.Join(recordsOf(t, name), ","); got != test.after {
			t.Errorf("%q: records after Append %q, want %q", test.left, got, test.after)
		}
	}
}

// TestTornLineIsNoJSON pins down that no piece becomes a record for those who
// decode line by line.
func TestTornLineIsNoJSON(t *testing.T) {
	needLocks(t)
	for _, piece := range []string{"12", `{"a":1`, "true", `"text"`, `{"a"`, " "} {
		name := filepath.Join(t.TempDir(), "log")
		mustWrite(t, name, piece, 0o644)
		mustAppend(t, name, "{}")
		line, rest, _ := strings.Cut(mustRead(t, name), "\n")
		if json.Valid([]byte(line)) || rest != "{}\n" {
			t.Errorf("%q was made %q, then %q", piece, line, rest)
		}
	}
}

// A heldAppend is one that stays at its first step until released.
type heldAppend struct {
	name    string
	steps   []string
	entered chan bool
	release chan bool
	done    sync.WaitGroup
}

// holdAppend starts an append of record that leads, and holds it before it has
// the lock.
func holdAppend(t *testing.T, name, record string) *heldAppend {
	needLocks(t)
	h := &heldAppend{name: name, entered: make(chan bool), release: make(chan bool)}
	first := true
	h.add(t, record, nil, Options{hook: func(step string) error {
		if first {
			first = false
			h.entered <- true
			<-h.release
		}
		h.steps = append(h.steps, step)
		return nil
	}})
	<-h.entered
	return h
}

// add starts a further append, which waits behind the others.
func (h *heldAppend) add(t *testing.T, record string, want error, o Options) {
	before := waitingFor(h.name)
	h.done.Add(1)
	go func() {
		defer h.done.Done()
		if err := o.Append(h.name, []byte(record), 0o644); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", brief(record), err, want)
		}
	}()
	for waitingFor(h.name) == before {
		runtime.Gosched()
	}
}

// waitingFor counts the appends in the queue of a path.
func waitingFor(path string) int {
	key, _ := filepath.Abs(path)
	appends.Lock()
	defer appends.Unlock()
	return len(appends.queues[key])
}

func (h *heldAppend) finish() {
	h.release <- true
	h.done.Wait()
}

// TestGroupCommit has 600 appends wait, and counts writes and syncs.
func TestGroupCommit(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	mustWrite(t, name, "old\n", 0o644)
	h := holdAppend(t, name, "0")
	var mu sync.Mutex
	steps := map[string]int{}
	want := []string{"old", "0"}
	for i := 1; i < 600; i++ {
		h.add(t, strconv.Itoa(i), nil, Options{hook: func(step string) error {
			mu.Lock()
			defer mu.Unlock()
			steps[step]++
			return nil
		}})
		want = append(want, strconv.Itoa(i))
	}
	h.finish()
	wantRecords(t, name, want...)
	if got := strings.Join(h.steps, " "); got != "lock open read write sync close" {
		t.Errorf("the first batch: %s", got)
	}
	// 600 are 256, 256 and 88; the first counted its own.
	if steps["write"] != 2 || steps["sync"] != 2 || steps["lock"] != 2 {
		t.Errorf("the other batches: %v", steps)
	}
	if len(appends.queues) != 0 {
		t.Error("a queue is left")
	}
}

// TestErrorsOfAGroup has two names of one file fail together.
func TestErrorsOfAGroup(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name, link := filepath.Join(dir, "log"), filepath.Join(dir, "link")
	symlink(t, "log", link)
	mustWrite(t, name, "", 0o644)
	failure := errors.New("no such luck")
	entered, release := make(chan bool), make(chan bool)
	o := Options{hook: func(step string) error {
		entered <- true
		<-release
		return failure
	}}
	var done waitGroup
	try := func(o Options, name string) {
		done.Go(func() {
			err := o.Append(name, []byte("new"), 0o644)
			var pe *fs.PathError
			if !errors.Is(err, failure) || !errors.As(err, &pe) || pe.Path != name {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	try(o, name)
	<-entered
	try(Options{}, link)
	for waitingFor(name) < 2 {
		runtime.Gosched()
	}
	o.hook = nil
	release <- true
	for waitingFor(name) > 0 {
		select {
		case <-entered: // the hook is the leader's
			release <- true
		default:
			runtime.Gosched()
		}
	}
	done.Wait()
	wantContent(t, name, "")
}

// TestBatchOfLongRecords is bounded by bytes.
func TestBatchOfLongRecords(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	h := holdAppend(t, name, "first")
	writes := 0
	count := Options{hook: func(step string) error {
		if step == "write" {
			writes++ // no two lead at a time
		}
		return nil
	}}
	long := strings.Repeat("l", 600<<10)
	for _, record := range []string{long, long, "short", strings.Repeat("h", 3<<20), "last"} {
		h.add(t, record, nil, count)
	}
	h.finish()
	// first and long; long and short; the huge one; last
	if writes != 3 {
		t.Errorf("%d more writes, want 3", writes)
	}
	if got := len(recordsOf(t, name)); got != 6 {
		t.Errorf("%d records", got)
	}
}

// TestAppendersInOneProcess looks at the order of each caller.
func TestAppendersInOneProcess(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	const callers, each = 20, 30
	var done waitGroup
	for c := range callers {
		done.Go(func() {
			for i := range each {
				if err := Append(name, fmt.Appendf(nil, "%d %d", c, i), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	next := make([]int, callers)
	for record, err := range Records(name) {
		var c, i int
		if _, scan := fmt.Sscanf(string(record), "%d %d", &c, &i); err != nil || scan != nil || i != next[c] {
			t.Fatalf("%q, %v: want number %d", record, err, next[c])
		}
		next[c]++
	}
	for c, n := range next {
		if n != each {
			t.Errorf("caller %d: %d records", c, n)
		}
	}
}

// appendStates are what an append may find, and what of it is read as records.
var appendStates = []struct {
	name, content string
	records       []string
}{
	{"missing", "", nil},
	{"empty", "", nil},
	{"whole", "old\n", []string{"old"}},
	{"torn", "old\nto", []string{"old", "torn 2 4 to"}},
}

// TestAppendKilledAtEveryStep kills a writer before its first step, its second,
// and so on until it gets through.
func TestAppendKilledAtEveryStep(t *testing.T) {
	needLocks(t)
	for _, state := range appendStates {
		for n := 1; ; n++ {
			dir := memoryDir(t)
			name := filepath.Join(dir, "log")
			if state.name != "missing" {
				mustWrite(t, name, state.content, 0o644)
			}
			got := reported(t, child(t, "die-append", name, "n*100000", strconv.Itoa(n)))
			if got != "" && got != "nil" {
				t.Fatalf("%s: killed at step %d, yet reported %q", state.name, n, got)
			}
			var records []string
			if _, err := os.Stat(name); err == nil {
				records = recordsOf(t, name)
			}
			with := append(state.records[:len(state.records):len(state.records)], string(readContent("n*100000")))
			if s := fmt.Sprint(records); s != fmt.Sprint(with) && (got == "nil" || s != fmt.Sprint(state.records)) {
				t.Errorf("%s, killed at step %d: records %.100q", state.name, n, records)
			}
			mustAppend(t, name, "next")
			wantRecords(t, name, append(records, "next")...)
			wantOnly(t, dir, "log", ".safeio-log.lock")
			if got == "nil" {
				if n < 6 {
					t.Errorf("%s: only %d steps were interrupted", state.name, n-1)
				}
				break
			}
		}
	}
}

// TestAppendKilledInTheMiddle leaves a torn record, twice.
func TestAppendKilledInTheMiddle(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	mustAppend(t, name, "old")
	for range 2 {
		if got := reported(t, child(t, "half-append", name, "h*100000")); got != "" {
			t.Fatalf("reported %q", got)
		}
	}
	half := string(readContent("h*50000"))
	wantRecords(t, name, "old", "torn 2 4 "+half, "torn 3 50006 "+half)
	mustAppend(t, name, "next")
	wantRecords(t, name, "old", "torn 2 4 "+half, "torn 3 50006 "+half, "next")
}

// stepFailures are how a step may fail. More are known per platform.
var stepFailures = []error{errors.New("no such luck"), fs.ErrPermission}

// TestAppendFailedAtEveryStep lets every step fail in turn, in every way.
func TestAppendFailedAtEveryStep(t *testing.T) {
	needLocks(t)
	for _, failure := range stepFailures {
		for _, state := range appendStates {
			for fail := 1; failAppend(t, failure, state.name, state.content, state.records, fail); fail++ {
			}
		}
	}
}

// failAppend lets one step fail, and reports whether there was that step.
func failAppend(t *testing.T, failure error, state, content string, records []string, fail int) bool {
	t.Helper()
	dir := memoryDir(t)
	name := filepath.Join(dir, "log")
	mustWrite(t, lockPath(name), "", 0o644)
	if state != "missing" {
		mustWrite(t, name, content, 0o644)
	}
	count, failed := 0, ""
	o := Options{hook: func(step string) error {
		if count++; count == fail {
			failed = step
			return failure
		}
		return nil
	}}
	descriptors := openFiles(t)
	err := o.Append(name, []byte("new"), 0o644)
	what := fmt.Sprintf("%s, %s failed with %v", state, failed, failure)
	if now := openFiles(t); now != descriptors {
		t.Errorf("%s: %d descriptors, before %d", what, now, descriptors)
	}
	var pe *fs.PathError
	switch {
	case failed == "" || failed == "close":
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case !errors.Is(err, failure) || !errors.As(err, &pe) || pe.Path != name:
		t.Errorf("%s: error %v", what, err)
	case errors.Is(err, ErrPublished) != (failed == "sync" || failed == "opendir" && errors.Is(failure, fs.ErrPermission)):
		t.Errorf("%s: error %v", what, err)
	}
	if err == nil || errors.Is(err, ErrPublished) {
		records = append(records[:len(records):len(records)], "new")
	}
	if _, unmade := os.Stat(name); unmade == nil {
		wantRecords(t, name, records...)
	} else if len(records) > 0 {
		t.Errorf("%s: %v", what, unmade)
	}
	mustAppend(t, name, "next")
	wantRecords(t, name, append(records, "next")...)
	wantOnly(t, dir, "log", ".safeio-log.lock")
	return failed != ""
}

// FuzzAppend has records of any bytes come back, and what cannot be refused.
func FuzzAppend(f *testing.F) {
	for _, seed := range []string{"", "a", "a\nb", "\n\n", "\x18", "a\x18\nb", "\r\n", "\x18a\n\x00\xff"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, split bool) {
		needLocks(t)
		name := filepath.Join(t.TempDir(), "log")
		mustWrite(t, name, "torn", 0o644)
		records := [][]byte{data}
		if split {
			records = bytes.Split(data, []byte("\n"))
		}
		want := []string{"torn 1 0 torn"}
		for _, record := range records {
			bad := bytes.Contains(record, []byte("\n")) || bytes.HasSuffix(record, []byte{0x18})
			err := Append(name, record, 0o644)
			if errors.Is(err, fs.ErrInvalid) != bad || err != nil && !bad {
				t.Fatalf("%q: %v", record, err)
			}
			if !bad {
				want = append(want, string(record))
			}
		}
		wantRecords(t, name, want...)
	})
}

// TestAppendContext gives up one of those that wait together, first the one that
// leads and then one behind it; the others are appended.
func TestAppendContext(t *testing.T) {
	needContexts(t)
	name := filepath.Join(t.TempDir(), "log")
	mustAppend(t, name, "old")
	held := mustLock(t, name)
	type result struct {
		record string
		err    error
	}
	results := make(chan result)
	cancels := map[string]context.CancelFunc{}
	for i, record := range []string{"first", "second", "third"} {
		ctx, cancel := context.WithCancel(context.Background())
		cancels[record] = cancel
		go func() { results <- result{record, AppendContext(ctx, name, []byte(record), 0o644)} }()
		eventually(t, record, func() bool {
			appends.Lock()
			defer appends.Unlock()
			return len(appends.queues[name]) == i+1
		})
	}
	for _, record := range []string{"first", "third"} {
		cancels[record]()
		r := <-results
		var pe *fs.PathError
		if r.record != record || !errors.Is(r.err, context.Canceled) || !errors.As(r.err, &pe) || pe.Path != name {
			t.Errorf("%s given up: %s says %v", record, r.record, r.err)
		}
	}
	mustUnlock(t, held, nil)
	if r := <-results; r.err != nil {
		t.Error(r.err)
	}
	wantRecords(t, name, "old", "second")
	cancels["second"]()
}

// TestLastLineWithoutNewline: a line that an editor or another program has left whole
// is not torn.
func TestLastLineWithoutNewline(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "log")
	for last, want := range map[string]string{
		`{"a":1}`:   "old,%s,new",
		`[1, 2]  `:  "old,%s,new",
		`{"a":1`:    "old,torn 2 4 %s,new",
		`{"a":1}}`:  "old,torn 2 4 %s,new",
		`12`:        "old,torn 2 4 %s,new", // of 123
		`"a"`:       "old,torn 2 4 %s,new",
		"some text": "old,torn 2 4 %s,new",
	} {
		mustWrite(t, name, "old\n"+last, 0o644)
		before := recordsOf(t, name)
		mustAppend(t, name, "new")
		want := fmt.Sprintf(want, last)
		if got := strings.Join(recordsOf(t, name), ","); got != want {
			t.Errorf("%q: records %q, want %q", last, got, want)
		}
		if got := strings.Join(append(before, "new"), ","); got != want {
			t.Errorf("%q: before it was healed the records were %q", last, before)
		}
	}
}
