package witness

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Frame is one call of a stack.
type Frame struct {
	Func string
	File string
	Line int
}

// String is the frame as messages name it.
func (f Frame) String() string { return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line) }

// Name is the function of the frame as reports name it: "load", "(*Store).load".
func (f Frame) Name() string { return shortName(f.Func) }

// test reports whether the frame is one of a test.
func (f Frame) test() bool { return strings.HasSuffix(f.File, "_test.go") }

// A stack has the frames of the main module, innermost first.
type stack []Frame

// site is the innermost frame outside of tests.
func (s stack) site() (Frame, bool) {
	i := slices.IndexFunc(s, func(f Frame) bool { return !f.test() })
	if i < 0 {
		return Frame{}, false
	}
	return s[i], true
}

// An op is one operation on a file.
type op struct {
	seq       int // in the order of all records of the run
	process   *process
	goroutine int64
	test      string
	top       string // the test function, without the names of subtests
	stack     stack
	kind      string // open, read, write, truncate, sync, close, rename, link, remove, mkdir, stat, lock, unlock, …
	handle    int
	node      int64
	n         int64 // bytes that were read, written, or are left
	size      int64 // of the file before; -1 where there is none
	flag      int
	path, to  string
	err       string

	episode *episode // which it is part of, once episodes has been called; nil for none
}

// opens reports whether the operation has opened a file.
func (o *op) opens() bool { return o.kind == "open" && o.err == "" && o.handle > 0 }

// writes reports whether the file was opened to be written.
func (o *op) writes() bool { return o.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

// same reports whether the operation is about the file that o is about.
func (o *op) same(p *op) bool { return o.node != 0 && o.node == p.node || o.path == p.path }

// A process is one of those that a run consists of.
type process struct {
	id   string
	ops  []*op
	list []*episode // what episodes returns
	held []*op      // what takes or releases locks
}

// A snapshot is what a file held.
type snapshot struct {
	seq         int
	label, path string
	size        int64
	content     []byte
	stack       stack
}

// exists reports whether there was a file.
func (s *snapshot) exists() bool { return s != nil && s.size >= 0 }

// equal reports whether both found the same.
func (s *snapshot) equal(t *snapshot) bool {
	return s.exists() == t.exists() && (!s.exists() || s.size == t.size && bytes.Equal(s.content, t.content))
}

// A note is what B did, or what kept it from doing so.
type note struct {
	seq                int
	what, path, detail string
}

// An answer is what a function of the program returned.
type answer struct {
	seq       int
	fn, error string
}

// A run is what one run of a test binary has recorded.
type run struct {
	pkg       *testPackage
	processes []*process
	snapshots []*snapshot
	notes     []*note
	answers   []*answer
	tests     map[string]*testResult
	renamed   map[string]string // what files were renamed to
	all       []*op             // what ops returns
	used      *uses
	output    string
	failed    error // the run as a whole
}

// A testResult is how a test ended.
type testResult struct {
	outcome string // PASS, FAIL or SKIP; empty for one that did not end
	seconds float64
}

// note is the first note of one of the kinds.
func (r *run) note(whats ...string) (note, bool) {
	i := slices.IndexFunc(r.notes, func(n *note) bool { return slices.Contains(whats, n.what) })
	if i < 0 {
		return note{}, false
	}
	return *r.notes[i], true
}

// snapshot is the first snapshot with the label after seq; nil for none.
func (r *run) snapshot(label string, seq int) *snapshot {
	i := slices.IndexFunc(r.snapshots, func(s *snapshot) bool { return s.label == label && s.seq > seq })
	if i < 0 {
		return nil
	}
	return r.snapshots[i]
}

// ops are all operations, process by process.
func (r *run) ops() []*op {
	if len(r.processes) == 1 {
		return r.processes[0].ops
	}
	if r.all == nil {
		for _, p := range r.processes {
			r.all = append(r.all, p.ops...)
		}
	}
	return r.all
}

// A use is what a test does with a file; of one process, or of all where that is nil.
type use struct {
	process    *process
	test, path string
}

// uses are how the files of a run are used.
type uses struct {
	read     map[use]int             // the last opening by which code outside of tests reads the file
	creators map[use]map[string]bool // the goroutines that open the file and create it if it is not there
}

// uses are how the files of the run are used.
func (r *run) uses() *uses {
	if r.used != nil {
		return r.used
	}
	r.used = &uses{map[use]int{}, map[use]map[string]bool{}}
	for _, o := range r.ops() {
		if o.kind != "open" {
			continue
		}
		if _, code := o.stack.site(); code && o.opens() && !o.writes() {
			r.used.read[use{o.process, o.test, o.path}] = o.seq
		}
		if o.flag&os.O_CREATE != 0 {
			by := use{test: o.top, path: o.path}
			if r.used.creators[by] == nil {
				r.used.creators[by] = map[string]bool{}
			}
			r.used.creators[by][fmt.Sprint(o.process.id, o.goroutine)] = true
		}
	}
	return r.used
}

// between are the operations of a process after one and before another.
func (p *process) between(after, before int) []*op {
	at := func(seq int) int {
		i, _ := slices.BinarySearchFunc(p.ops, seq, func(o *op, seq int) int { return o.seq - seq })
		return i
	}
	return p.ops[at(after+1):max(at(after+1), at(before))]
}

// readTrace reads what the processes of a run have left in dir.
func (r *run) readTrace(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	r.renamed = map[string]string{}
	var stamps []stamp
	for _, file := range files {
		if err := r.readProcess(dir, file, &stamps); err != nil {
			return err
		}
	}
	slices.SortStableFunc(stamps, func(a, b stamp) int { return cmp.Compare(a.time, b.time) })
	for i, s := range stamps {
		*s.seq = i + 1
	}
	slices.SortFunc(r.notes, func(a, b *note) int { return a.seq - b.seq })
	slices.SortFunc(r.snapshots, func(a, b *snapshot) int { return a.seq - b.seq })
	return nil
}

// A stamp is when a record was made, and where its place among all of the run is kept.
type stamp struct {
	time int64
	seq  *int
}

// A reading is the trace of one process that is being read.
type reading struct {
	process *process
	dir     string
	stacks  map[string]stack
	names   map[string]string
}

// readProcess reads the records of one process. The last one can be incomplete, and zeros can follow it.
func (r *run) readProcess(dir, file string, stamps *[]stamp) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p := &process{id: strings.TrimSuffix(filepath.Base(file), ".trace")}
	r.processes = append(r.processes, p)
	from := reading{p, dir, map[string]stack{"0": nil}, map[string]string{}}
	for line := range strings.Lines(string(bytes.TrimRight(content, "\x00"))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.Contains(line, `\`) {
			for i := range f {
				f[i] = unescape.Replace(f[i])
			}
		}
		switch {
		case f[0] == "S" && len(f) > 2:
			from.stacks[f[1]] = frames(f[2:])
		case f[0] == "N" && len(f) == 3:
			from.names[f[1]] = f[2]
		default:
			if seq := r.record(from, f); seq != nil {
				*stamps = append(*stamps, stamp{int64(number(f[2])), seq})
			}
		}
	}
	return nil
}

// frames are those of a stack, three fields each.
func frames(f []string) (s stack) {
	for ; len(f) > 2; f = f[3:] {
		s = append(s, Frame{f[0], f[1], number(f[2])})
	}
	return s
}

// record takes in one record of a process, and returns where its place is kept; nil for one of another kind.
func (r *run) record(from reading, f []string) *int {
	switch {
	case f[0] == "O" && len(f) == 15:
		o := &op{process: from.process, goroutine: int64(number(f[3])), test: from.names[f[4]], stack: from.stacks[f[5]],
			kind: f[6], handle: number(f[7]), node: int64(number(f[8])), n: int64(number(f[9])), size: int64(number(f[10])),
			flag: number(f[11]), path: from.names[f[12]], to: from.names[f[13]], err: f[14]}
		o.top, _, _ = strings.Cut(o.test, "/")
		if r.pkg.command != "" {
			o.test, o.top = r.pkg.command, r.pkg.command
		}
		o.process.ops = append(o.process.ops, o)
		if o.kind == "rename" && o.err == "" {
			r.renamed[o.path] = o.to
		}
		return &o.seq
	case f[0] == "B" && len(f) == 6:
		n := &note{what: f[3], path: f[4], detail: f[5]}
		r.notes = append(r.notes, n)
		return &n.seq
	case f[0] == "R" && len(f) == 5:
		a := &answer{fn: f[3], error: f[4]}
		r.answers = append(r.answers, a)
		return &a.seq
	case f[0] == "X" && len(f) == 8:
		s := &snapshot{label: f[3], path: f[4], size: int64(number(f[5])), stack: from.stacks[f[7]]}
		if f[6] != "" {
			s.content, _ = os.ReadFile(filepath.Join(from.dir, f[6]))
		}
		r.snapshots = append(r.snapshots, s)
		return &s.seq
	}
	return nil
}

var unescape = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`)

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// A Trace is what the tests of a session have shown.
type Trace struct {
	// LeftOut are the tests that fail or hang without B, and the packages whose tests cannot be built.
	LeftOut []LeftOut
	// Tests counts the tests that were recorded, Operations what they did.
	Tests, Operations int

	runs []*run
}

// A LeftOut is a test that nothing is learned from.
type LeftOut struct{ Package, Test, Why string }

// episode is what a program does with a file from opening it on.
type episode struct {
	open    *op
	ops     []*op // of the handle, in order
	renames []*op // of the file, later
}

// wrote counts the bytes and the writes of an episode.
func (e *episode) wrote() (total int64, writes int) {
	if e == nil {
		return 0, 0
	}
	for _, o := range e.ops {
		if o.kind == "write" {
			total += o.n
			writes++
		}
	}
	return total, writes
}

// idle reports whether the file was opened for writing and nothing came of it, as where somebody asks whether that may be.
func (e *episode) idle() bool {
	total, _ := e.wrote()
	return e.open.writes() && e.open.flag&os.O_TRUNC == 0 && total == 0 && e.read() == 0
}

// target is the name under which readers find the file.
func (e *episode) target() string {
	if len(e.renames) > 0 {
		return e.renames[0].to
	}
	return e.open.path
}

// last is the last operation of the episode.
func (e *episode) last() *op {
	switch {
	case len(e.renames) > 0:
		return e.renames[len(e.renames)-1]
	case len(e.ops) > 0:
		return e.ops[len(e.ops)-1]
	}
	return e.open
}

// opened is the episode that o opens; nil where it opens none.
func (p *process) opened(o *op) *episode {
	p.episodes()
	if o == nil || o.episode == nil || o.episode.open != o {
		return nil
	}
	return o.episode
}

// episodes are the files that a process has opened, in order.
func (p *process) episodes() []*episode {
	if p.list != nil {
		return p.list
	}
	list := []*episode{}
	open := map[int]*episode{}
	written := map[string]*episode{}
	for _, o := range p.ops {
		switch {
		case o.opens():
			e := &episode{open: o}
			o.episode = e
			list = append(list, e)
			open[o.handle] = e
			if o.writes() {
				written[o.path] = e
			}
		case o.kind == "rename" && o.err == "":
			if e := written[o.path]; e != nil && e.open.test == o.test {
				e.renames = append(e.renames, o)
				o.episode = e
				delete(written, o.path)
			}
		case o.handle > 0 && open[o.handle] != nil:
			o.episode = open[o.handle]
			o.episode.ops = append(o.episode.ops, o)
		}
	}
	p.list = list
	return list
}

// locksAt are the locks between processes that the process has taken in the same test and holds while o is done: the
// operations that took them.
func (p *process) locksAt(o *op) []*op {
	var held []*op
	for _, l := range p.lockOps() {
		if l.seq >= o.seq {
			break
		}
		if l.top != o.top {
			continue
		}
		if l.kind != "unlock" && l.kind != "remove" {
			held = append(held, l)
		} else if i := slices.IndexFunc(held, func(h *op) bool { return h.lock() == l.path }); i >= 0 {
			held = slices.Delete(held, i, i+1)
		}
	}
	return held
}

// lock is the file of a lock that the operation takes or releases.
func (o *op) lock() string { return cmp.Or(o.to, o.path) }

// shared reports whether others can have the lock that is taken, too.
func (o *op) shared() bool { return o.kind == "lock" && o.flag == 0 }

// lockOps are the operations that take or release a lock, which can be a file that is there.
func (p *process) lockOps() []*op {
	if p.held != nil {
		return p.held
	}
	p.held = []*op{}
	for _, o := range p.ops {
		claim := (o.kind == "open" && o.flag&os.O_EXCL != 0 || o.kind == "mkdir") && claimName(o.path) ||
			o.kind == "link" && claimName(o.to)
		if o.err == "" && (claim || o.kind == "lock" || o.kind == "unlock" || o.kind == "remove") {
			p.held = append(p.held, o)
		}
	}
	return p.held
}

// claimName reports whether a file of the name is a lock by being there.
func claimName(path string) bool {
	base := filepath.Base(path)
	return slices.ContainsFunc([]string{"lock", "lck", "pid", "claim"}, func(word string) bool {
		return strings.Contains(base, word)
	})
}
