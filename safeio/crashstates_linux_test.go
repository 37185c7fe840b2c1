package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Promises 1, 2 and those of Update, Append and Remove, for every state that
// the model of crashmodel_linux_test.go gives a disk after a power cut.

func init() {
	errands["protocol"] = func(args []string) error {
		for _, p := range append(protocols(), wrongProtocols()...) {
			if p.name == args[0] {
				os.Stdout.WriteString("begin\n")
				return p.run(args[1], func() { os.Stdout.WriteString("ack\n") })
			}
		}
		return fmt.Errorf("no protocol %q", args[0])
	}
	errands["begin-and-die"] = func(args []string) error {
		os.Stdout.WriteString("begin\n")
		return dyingWriters[args[0]](dying(args[2]), args[1])
	}
}

// dyingWriters each do one operation of the protocol called so.
var dyingWriters = map[string]func(o Options, name string) error{
	"WriteFile": func(o Options, name string) error { return o.WriteFile(name, []byte(contentD), 0o644) },
	"Update": func(o Options, name string) error {
		return o.UpdateContext(background, name, 0o644, appending(contentD))
	},
	"Append": func(o Options, name string) error { return o.Append(name, []byte(recordD), 0o644) },
}

// A protocol is a sequence of operations on one file, and what must be true
// of the file after a power cut.
type protocol struct {
	name   string
	before map[string]string
	run    func(name string, ack func()) error
	look   func(name string, s crashState) error // without changing anything
	repair func(name string) error               // the next operation must work
	wrong  []string                              // what look must find
}

// What the file holds before, and after the first and second operation.
var (
	content0 = filler('A', 1500)
	content1 = filler('K', 2300)
	content2 = filler('R', 1100)

	contentD = filler('D', 1700) // of a writer that dies
	recordD  = filler('d', 600)

	record0 = filler('a', 700)
	record1 = filler('g', 900)
	record2 = filler('m', 1200)
	record3 = filler('s', 3)
	torn0   = record0 + "\n" + filler('w', 836-13) // ends 13 bytes from a sector's edge
	tornTo  = record0 + "\n" + filler('w', 1023-701)
)

const none = "\x00none" // in the place of a content: no file

func protocols() []protocol {
	old := map[string]string{"state": content0}
	var all []protocol
	for _, from := range []struct {
		what   string
		before map[string]string
		first  string
	}{{"existing", old, content0}, {"new", nil, none}} {
		all = append(all,
			protocol{name: "WriteFile, " + from.what, before: from.before, run: twice(func(name, content string) error {
				return WriteFile(name, []byte(content), 0o644)
			}), look: wholeOf(from.first, content1, content2), repair: repairWhole},
			protocol{name: "Create and Commit, " + from.what, before: from.before, run: twice(func(name, content string) error {
				return createAndCommit(Options{}, name, []byte(content))
			}), look: wholeOf(from.first, content1, content2), repair: repairWhole},
			protocol{name: "Update, " + from.what, before: from.before, run: twice(func(name, content string) error {
				return Update(name, 0o644, appending(content))
			}), look: wholeOf(from.first, plus(from.first, content1), plus(from.first, content1+content2)), repair: repairUpdate},
		)
	}
	records := []string{record1, record2, record3}
	for _, from := range []struct{ what, before string }{
		{"new", none}, {"existing", record0 + "\n"}, {"torn", torn0}, {"torn at a sector's edge", tornTo},
	} {
		before := map[string]string{"state": from.before}
		if from.before == none {
			before = nil
		}
		look := recordsAfter(from.before, 1, records)
		all = append(
			all,
			protocol{name: "Append, " + from.what, before: before, run: appendThree, look: look, repair: repairAppend},
			protocol{
				name:   "Append at once, " + from.what,
				before: before,
				run:    appendAtOnce,
				look:   recordsAfter(from.before, 3, records),
				repair: repairAppend,
			},
		)
	}
	return append(
		all,
		protocol{name: "Remove", before: old, run: once(Remove), look: wholeOf(content0, none), repair: repairRemoved},
		protocol{name: "Remove with its lock file", before: map[string]string{"state": content0, ".safeio-state.lock": ""},
			run: once(Remove), look: wholeOf(content0, none), repair: repairRemoved},
		protocol{name: "Backup", before: old, run: once(Backup), look: ofCopy(wholeOf(none, content0)), repair: repairBackup},
		protocol{
			name:   "Remove and WriteFile",
			before: old,
			run:    removeAndWrite,
			look:   wholeOf(content0, none, content1),
			repair: repairWhole,
		},
	)
}

func twice(write func(name, content string) error) func(string, func()) error {
	return func(name string, ack func()) error {
		for _, content := range []string{content1, content2} {
			if err := write(name, content); err != nil {
				return err
			}
			ack()
		}
		return nil
	}
}

func once(do func(name string) error) func(string, func()) error {
	return func(name string, ack func()) error {
		err := do(name)
		if err == nil {
			ack()
		}
		return err
	}
}

func plus(content, more string) string {
	return strings.TrimPrefix(content, none) + more
}

func removeAndWrite(name string, ack func()) error {
	if err := once(Remove)(name, ack); err != nil {
		return err
	}
	return once(func(name string) error { return WriteFile(name, []byte(content1), 0o644) })(name, ack)
}

func appendThree(name string, ack func()) error {
	for _, record := range []string{record1, record2, record3} {
		if err := Append(name, []byte(record), 0o644); err != nil {
			return err
		}
		ack()
	}
	return nil
}

// appendAtOnce has three records in one batch, which the calling thread writes.
func appendAtOnce(name string, ack func()) error {
	errs := make(chan error, 2)
	others := func(step string) error {
		if step != "lock" {
			return nil
		}
		for i, record := range []string{record2, record3} {
			go func() { errs <- Append(name, []byte(record), 0o644) }()
			for waitingFor(name) < i+2 {
				runtime.Gosched()
			}
		}
		return nil
	}
	err := errors.Join(Options{hook: others}.Append(name, []byte(record1), 0o644), <-errs, <-errs)
	if err == nil {
		ack()
	}
	return err
}

// wholeOf looks for one of the contents, whole, and not one from before the last
// that was acknowledged.
func wholeOf(contents ...string) func(string, crashState) error {
	return func(name string, s crashState) error {
		got := none
		data, err := os.ReadFile(name)
		if err == nil {
			got = string(data)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for i, content := range contents {
			switch {
			case got != content:
			case i < s.acked:
				return fmt.Errorf("%w: %d were acknowledged, there is number %d", errLostState, s.acked, i)
			case i > s.acked+1:
				return fmt.Errorf("number %d before it was written", i)
			default:
				return nil
			}
		}
		if got == none {
			return fmt.Errorf("%w: no file", errLostState)
		}
		return fmt.Errorf("%w: %s", errTornState, brief(got))
	}
}

func repairWhole(name string) error {
	if err := WriteFile(name, []byte("next"), 0o644); err != nil {
		return err
	}
	return leaves(name, "next")
}

func repairUpdate(name string) error {
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := Update(name, 0o644, appending("next")); err != nil {
		return err
	}
	return leaves(name, string(before)+"next")
}

// ofCopy looks at the copy of a file, which itself must be as it was.
func ofCopy(look func(string, crashState) error) func(string, crashState) error {
	return func(name string, s crashState) error {
		return errors.Join(look(name+backupSuffix, s), wholeOf(content0)(name, crashState{}))
	}
}

func repairBackup(name string) error {
	if err := Backup(name); err != nil {
		return err
	}
	copied, err := os.ReadFile(name + backupSuffix)
	if string(copied) != content0 {
		err = fmt.Errorf("the copy holds %s, %v", brief(string(copied)), err)
	}
	return errors.Join(err, os.Remove(name+backupSuffix), leaves(name, content0))
}

func repairRemoved(name string) error {
	if err := Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mendedAppend := Append(name, []byte("next"), 0o644)
	return errors.Join(mendedAppend, leaves(name, "next\n"))
}

// leaves sweeps, and then wants only the file, with content, and its lock file.
func leaves(name, content string) error {
	if _, err := Sweep(filepath.Dir(name)); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	for _, e := range entries {
		if e.Name() != filepath.Base(name) && e.Name() != filepath.Base(lockPath(name)) {
			err = fmt.Errorf("left behind: %s", e.Name())
		}
	}
	got, unread := os.ReadFile(name)
	if string(got) != content {
		err = fmt.Errorf("then %s, want %s", brief(string(got)), brief(content))
	}
	return errors.Join(err, unread)
}

// recordsAfter looks for the whole lines of before, and what has been appended to
// them, of which each acknowledgement means so many. If the first of what was
// appended has never been acknowledged, each is negative.
func recordsAfter(before string, each int, appended []string) func(string, crashState) error {
	lines := strings.Split(strings.TrimPrefix(before, none), "\n")
	piece := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	known := append(lines[:len(lines):len(lines)], appended...)
	return func(name string, s crashState) error {
		found, err := findRecords(name)
		if err != nil {
			return err
		}
		sure := len(lines) + each*s.acked
		if each < 0 {
			sure = len(lines) + min(s.acked, 1) - each*s.acked
		}
		next := 0
		for _, f := range found {
			if s.holes && strings.Contains(f.text, "\x00") {
				continue // of a write that was not acknowledged, and no JSON
			}
			if f.torn {
				if !isPieceOf(f.text, append(known, piece)) {
					return fmt.Errorf("%w: %s", errGlued, brief(f.text))
				}
				continue
			}
			for next < len(known) && known[next] != f.text {
				if next < sure {
					return fmt.Errorf("%w: record %d of %d", errLostState, next, sure)
				}
				if !s.holes {
					return fmt.Errorf("%w: %s, not record %d", errGlued, brief(f.text), next)
				}
				next++
			}
			if next == len(known) {
				return fmt.Errorf("%w: %s", errGlued, brief(f.text))
			}
			next++
		}
		if next < sure {
			return fmt.Errorf("%w: %d records of %d", errLostState, next, sure)
		}
		return nil
	}
}

func isPieceOf(text string, all []string) bool {
	for _, whole := range all {
		if strings.HasPrefix(whole, text) {
			return true
		}
	}
	return false
}

// repairAppend appends one more. What was found before is found again, and the
// new record behind it, by itself.
func repairAppend(name string) error {
	before, err1 := findRecords(name)
	err2 := Append(name, []byte("next"), 0o644)
	after, err3 := findRecords(name)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if want := append(before, foundRecord{"next", false}); fmt.Sprint(after) != fmt.Sprint(want) {
		return fmt.Errorf("%w: %d records, then %d", errGlued, len(before), len(after))
	}
	data, err := os.ReadFile(name)
	if err == nil && string(data) != "next\n" && !bytes.HasSuffix(data, []byte("\nnext\n")) {
		err = fmt.Errorf("%w: the last line is not by itself", errGlued)
	}
	return err
}

// start is what the file holds before.
func (p protocol) start() string {
	if content, ok := p.before["state"]; ok {
		return content
	}
	return none
}

// recorded runs the protocol under strace.
func (p protocol) recorded(t *testing.T) *recording {
	t.Helper()
	dir := t.TempDir()
	for name, content := range p.before {
		mustWrite(t, filepath.Join(dir, name), content, 0o644)
	}
	report, calls := tracedForCrash(t, "protocol", p.name, filepath.Join(dir, "state"))
	if !strings.HasSuffix(report, "nil") {
		t.Fatalf("reported %q", report)
	}
	return mustRecord(t, dir, p.before, calls)
}

func tracedForCrash(t *testing.T, errand string, args ...string) (report string, calls []string) {
	t.Helper()
	return strace(t, []string{"-xx", "-s", "100000", "-e", "trace=" + crashCalls}, errand, args...)
}

func mustRecord(t *testing.T, dir string, before map[string]string, processes ...[]string) *recording {
	t.Helper()
	r, err := record(dir, before, processes...)
	if err != nil {
		t.Fatal(err)
	}
	wantModelled(t, dir, r)
	return r
}

// wantModelled compares the directory with what the recording makes of it.
func wantModelled(t *testing.T, dir string, r *recording) {
	t.Helper()
	names, files := map[string]int{}, map[int][]byte{}
	for name, inode := range r.names {
		names[name] = inode
	}
	for inode, data := range r.files {
		files[inode] = data
	}
	for _, a := range r.actions {
		for name, inode := range a.names {
			names[name] = inode
		}
		if a.kind == doWrite || a.kind == doCut {
			files[a.inode] = a.on(files[a.inode])
		}
	}
	var there []string
	for name, inode := range names {
		if inode != 0 {
			there = append(there, name)
			wantContent(t, filepath.Join(dir, name), string(files[inode]))
		}
	}
	wantOnly(t, dir, there...)
	if got := len(others(t, dir)); got != len(there) {
		t.Fatalf("%d files, the recording has %d", got, len(there))
	}
}

// put makes dir hold s.
func (s crashState) put(t *testing.T, dir string) {
	t.Helper()
	for _, name := range others(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range s.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCrashStates looks at all states that a power cut in the middle of each
// operation can leave.
func TestCrashStates(t *testing.T) {
	var states, zeros, syncs atomic.Int64
	var skipped atomic.Bool
	t.Run("", func(t *testing.T) {
		for _, p := range protocols() {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						skipped.Store(true)
					}
				}()
				r := p.recorded(t)
				dir := memoryDir(t)
				count := wantNoViolation(t, p, r, dir, &zeros)
				states.Add(int64(count))
				syncs.Add(int64(wantSyncsNeeded(t, p, r, dir)))
			})
		}
	})
	t.Logf(
		"%d states; in %d of them Records takes zeros for an unacknowledged record; %d syncs, without each of which there are violations",
		states.Load(),
		zeros.Load(),
		syncs.Load(),
	)
	if !skipped.Load() && !t.Failed() && (states.Load() < 4000 || syncs.Load() < 40) {
		t.Errorf("only %d states and %d syncs", states.Load(), syncs.Load())
	}
}

// wantNoViolation counts the states, and those with zeros in the place of blocks
// that the package comment speaks of.
func wantNoViolation(t *testing.T, p protocol, r *recording, dir string, zeros *atomic.Int64) (count int) {
	t.Helper()
	name := filepath.Join(dir, "state")
	violations := 0
	for s := range r.crashStates {
		s.put(t, dir)
		err := p.look(name, s)
		if s.holes && strings.HasPrefix(p.name, "Append") && hasZeros(name) {
			zeros.Add(1)
		}
		if err == nil {
			err = p.repair(name)
		}
		if err != nil {
			if violations++; violations < 5 {
				t.Errorf("%v; %d acknowledged, the state is %.300q", err, s.acked, s.files)
			}
		}
		count++
	}
	t.Logf("%d states of %d actions, %d violations", count, len(r.actions), violations)
	if count < 8 {
		t.Errorf("only %d states", count)
	}
	return count
}

// hasZeros reports whether Records yields what nobody has written.
func hasZeros(name string) bool {
	found, _ := findRecords(name)
	for _, f := range found {
		if !f.torn && strings.Contains(f.text, "\x00") {
			return true
		}
	}
	return false
}

// wantSyncsNeeded takes each sync out of the recording in turn.
func wantSyncsNeeded(t *testing.T, p protocol, r *recording, dir string) (syncs int) {
	t.Helper()
	for i, a := range r.actions {
		if a.kind != doSync && a.kind != doSyncDir {
			continue
		}
		syncs++
		without := *r
		without.actions = append(r.actions[:i:i], r.actions[i+1:]...)
		violated := false
		for s := range without.crashStates {
			s.put(t, dir)
			if violated = p.look(filepath.Join(dir, "state"), s) != nil; violated {
				break
			}
		}
		if !violated {
			t.Errorf("no violation without action %d, which is a sync", i)
		}
	}
	return syncs
}

// TestCrashAfterKill has a writer be killed at each step, another one go on with
// what that left, and then a power cut: what the first has not synced, and the
// second relies on, must not be lost.
func TestCrashAfterKill(t *testing.T) {
	var states atomic.Int64
	t.Run("", func(t *testing.T) {
		for _, p := range protocols() {
			kind, from, _ := strings.Cut(p.name, ", ")
			if dyingWriters[kind] == nil || kind == "Append" && from != "new" && from != "torn" {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				deaths, seen := 0, map[string]bool{}
				for crashAfterKill(t, p, kind, deaths+1, seen) {
					deaths++
				}
				t.Logf("%d states after %d deaths", len(seen), deaths)
				if deaths < 6 || len(seen) < 20 {
					t.Errorf("only %d states after %d deaths", len(seen), deaths)
				}
				states.Add(int64(len(seen)))
			})
		}
	})
	t.Logf("%d states", states.Load())
}

// crashAfterKill kills at the n-th step, if there is one, and looks at the states
// that it has not seen yet.
func crashAfterKill(t *testing.T, p protocol, kind string, n int, known map[string]bool) bool {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	for other, content := range p.before {
		mustWrite(t, filepath.Join(dir, other), content, 0o644)
	}
	report, dead := tracedForCrash(t, "begin-and-die", kind, name, fmt.Sprint(n))
	if report != "begin\n" {
		return false
	}
	seen := none
	if data, err := os.ReadFile(name); err == nil {
		seen = string(data)
	}
	report, living := tracedForCrash(t, "protocol", p.name, name)
	if !strings.HasSuffix(report, "nil") {
		t.Fatalf("reported %q", report)
	}
	r := mustRecord(t, dir, p.before, dead, living)

	var look func(string, crashState) error
	switch kind {
	case "WriteFile":
		look = wholeOf(seen, content1, content2)
	case "Update":
		look = wholeOf(seen, plus(seen, content1), plus(seen, content1+content2))
	case "Append":
		look = p.look
		if strings.Contains(seen, recordD) {
			look = recordsAfter(p.start(), -1, []string{recordD, record1, record2, record3})
		}
	}
	dir = memoryDir(t)
	name = filepath.Join(dir, "state")
	for s := range r.crashStates {
		key := fmt.Sprint(seen, s.key())
		if known[key] {
			continue
		}
		known[key] = true
		s.put(t, dir)
		err := look(name, s)
		if err != nil && s.acked == 0 && p.look(name, s) == nil {
			err = nil // of both writers there is nothing
		}
		if err == nil && len(known)%8 == 0 { // TestCrashStates does it each time
			err = p.repair(name)
		}
		if err != nil {
			t.Fatalf("killed at step %d: %v; %d acknowledged, the state is %.300q", n, err, s.acked, s.files)
		}
	}
	return true
}

// wrongProtocols must be found out.
func wrongProtocols() []protocol {
	old := map[string]string{"state": content0}
	log := map[string]string{"state": record0 + "\n"}
	whole := wholeOf(content0, content1, content2)
	logged := recordsAfter(record0+"\n", 1, []string{record1, record2, record3})
	renaming := func(early, late, dir bool) func(string, func()) error {
		return twice(func(name, content string) error { return renameOver(name, content, early, late, dir) })
	}
	appending := func(heal, sync, dir bool) func(string, func()) error {
		return appendBy(func(name, record string) error { return appendBadly(name, record, heal, sync, dir) })
	}
	return []protocol{
		{name: "os.WriteFile", before: old, look: whole, wrong: []string{"torn", "lost"},
			run: twice(func(name, content string) error { return os.WriteFile(name, []byte(content), 0o644) })},
		{name: "os.WriteFile, new", look: wholeOf(none, content1, content2), wrong: []string{"torn", "lost"},
			run: twice(func(name, content string) error { return os.WriteFile(name, []byte(content), 0o644) })},
		{name: "os.WriteFile and sync", before: old, look: whole, wrong: []string{"torn"}, run: twice(writeAndSync)},
		{name: "rename without sync", before: old, look: whole, wrong: []string{"torn", "lost"}, run: renaming(false, false, false)},
		{name: "rename without sync of the file", before: old, look: whole, wrong: []string{"torn"}, run: renaming(false, false, true)},
		{name: "rename before sync of the file", before: old, look: whole, wrong: []string{"torn"}, run: renaming(false, true, true)},
		{
			name:   "rename without sync of the directory",
			before: old,
			look:   whole,
			wrong:  []string{"lost"},
			run:    renaming(true, false, false),
		},
		{name: "os.Remove", before: old, look: wholeOf(content0, none), wrong: []string{"lost"}, run: once(os.Remove)},
		{
			name:   "remove, then write",
			before: old,
			look:   wholeOf(content0, content1),
			wrong:  []string{"lost"},
			run: once(func(name string) error {
				os.Remove(name)
				return WriteFile(name, []byte(content1), 0o644)
			}),
		},
		{name: "append without sync", before: log, look: logged, wrong: []string{"lost"}, run: appending(true, false, false)},
		{name: "append to a new file without sync of the directory", look: recordsAfter(none, 1, []string{record1, record2, record3}),
			wrong: []string{"lost"}, run: appending(true, true, false)},
		{name: "append to a torn line", before: map[string]string{"state": torn0}, wrong: []string{"glued"},
			look: recordsAfter(torn0, 1, []string{record1, record2, record3}), run: appending(false, true, true)},
		{name: "Append to a file that another program has just made", look: recordsAfter(none, 1, []string{record1, record2, record3}),
			wrong: []string{"lost"}, run: func(name string, ack func()) error {
				if err := os.WriteFile(name, []byte(record0+"\n"), 0o644); err != nil {
					return err
				}
				return appendThree(name, ack)
			}},
		{name: "append by rewriting", before: log, look: logged, wrong: []string{"lost"}, run: appendBy(func(name, record string) error {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return writeAndSync(name, string(data)+record+"\n")
		})},
	}
}

func writeAndSync(name, content string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// renameOver syncs the file before the rename, or after it, and the directory.
func renameOver(name, content string, early, late, dir bool) error {
	temp := filepath.Join(filepath.Dir(name), tempPrefix+"wrong"+tempSuffix)
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(content)
	if early {
		err = errors.Join(err, f.Sync())
	}
	err = errors.Join(err, os.Rename(temp, name))
	if late {
		err = errors.Join(err, f.Sync())
	}
	if dir {
		err = errors.Join(err, syncDirOf(name))
	}
	return err
}

func syncDirOf(name string) error {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func appendBy(add func(name, record string) error) func(string, func()) error {
	return func(name string, ack func()) error {
		for _, record := range []string{record1, record2, record3} {
			if err := add(name, record); err != nil {
				return err
			}
			ack()
		}
		return nil
	}
}

func appendBadly(name, record string, heal, sync, dir bool) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if dir && len(data) == 0 {
		err = syncDirOf(name)
	}
	if heal && len(data) > 0 && data[len(data)-1] != '\n' {
		record = "\x18\n" + record
	}
	_, unwritten := f.WriteString(record + "\n")
	if sync {
		unwritten = errors.Join(unwritten, f.Sync())
	}
	return errors.Join(err, unwritten)
}

// TestWrongProtocols has the model find what is wrong with protocols that are
// known to be.
func TestWrongProtocols(t *testing.T) {
	for _, p := range wrongProtocols() {
		t.Run(p.name, func(t *testing.T) {
			r := p.recorded(t)
			dir := memoryDir(t)
			count, kinds := 0, map[string]int{}
			for s := range r.crashStates {
				s.put(t, dir)
				count++
				err := p.look(filepath.Join(dir, "state"), s)
				for _, kind := range []error{errTornState, errLostState, errGlued} {
					if errors.Is(err, kind) {
						kinds[kind.Error()]++
					}
				}
			}
			t.Logf("%d states, violations: %v", count, kinds)
			for _, kind := range p.wrong {
				if kinds[kind] == 0 {
					t.Errorf("found nothing that is %s", kind)
				}
			}
		})
	}
}
