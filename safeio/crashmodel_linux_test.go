package safeio

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A model of what a disk may hold after a power cut, in the way of Pillai et
// al., "All File Systems Are Not Created Equal" (OSDI 2014). It knows one
// directory and the files in it, and takes the sequence of operations from
// the system calls that were really made.
//
// After the cut there is everything that was synced before. Of the rest:
//   - A change of names that came after the last sync of the directory is
//     there or not, each independently of the others and of all data: a rename
//     can outrun the content, and one before it. Each by itself is atomic, as
//     with every file system that has a journal.
//   - Of the writes to a file after its last sync there is a beginning, with
//     the last of them cut anywhere; or each is there or not, or each sector
//     of them is or not, with the file as long as if all were: what is missing
//     is zeros, or what was there before.

// sector is what a disk writes all or nothing of.
const sector = 512

// An action is one of a process on the disk, or an acknowledgement to the user.
type action struct {
	kind  actionKind
	inode int
	names map[string]int // what these names lead to afterwards; 0: nothing
	off   int
	data  []byte
}

type actionKind int

const (
	doNames   actionKind = iota
	doWrite              // data at off
	doCut                // to the length off
	doSync               // of the inode
	doSyncDir            // of the names
	doAck
)

// A recording is what a process did, and what was there before.
type recording struct {
	names   map[string]int
	files   map[int][]byte
	actions []action
}

// crashCalls are those that the recorder must know of: it knows them or fails.
const crashCalls = "?open,?creat,openat,?openat2,write,writev,pwrite64,pwritev,?pwritev2,fsync,fdatasync,sync,syncfs," +
	"?sync_file_range,?rename,?renameat,?renameat2,?unlink,unlinkat,?link,linkat,?symlink,symlinkat,?mkdir,mkdirat,?rmdir," +
	"truncate,ftruncate,fallocate,copy_file_range,sendfile,splice,dup,?dup2,dup3,lseek,?mmap2,close"

// A recorder follows the calls of a process.
type recorder struct {
	recording
	dir   string
	begun bool
	names map[string]int // as the process sees them
	files map[int][]byte
	open  map[string]*openFile // by descriptor
}

type openFile struct {
	inode  int // 0: the directory
	pos    int
	append bool
}

// record makes a recording of the system calls of processes, one after the
// other, as strace -xx prints them. They count from a write of "begin" to
// standard output; one of "ack" acknowledges.
func record(dir string, before map[string]string, processes ...[]string) (*recording, error) {
	r := &recorder{dir: dir, names: map[string]int{}, files: map[int][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		r.files[len(r.files)+1] = []byte(before[name])
		r.names[name] = len(r.files)
	}
	r.recording.names, r.recording.files = maps.Clone(r.names), maps.Clone(r.files)
	for _, calls := range processes {
		r.begun, r.open = false, map[string]*openFile{}
		for _, line := range calls {
			if err := r.call(line); err != nil {
				return nil, fmt.Errorf("%w: %.200s", err, line)
			}
		}
	}
	return &r.recording, nil
}

// call follows one call: "write(3, "\x61", 1) = 1".
func (r *recorder) call(line string) error {
	if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") {
		return nil
	}
	verb, rest, ok := strings.Cut(line, "(")
	end := strings.LastIndex(rest, " = ")
	if strings.HasSuffix(line, "<unfinished ...>") {
		return nil // killed
	}
	if !ok || end < 0 {
		return fmt.Errorf("no system call")
	}
	args := strings.Split(strings.TrimRight(rest[:end], " )"), ", ")
	result, _, _ := strings.Cut(rest[end+len(" = "):], " ")
	for i, arg := range args {
		if s, err := strconv.Unquote(arg); err == nil {
			args[i] = s
		}
	}
	if verb == "write" && args[0] == "1" {
		r.say(args[1])
	}
	if !r.begun || result == "-1" || result == "?" {
		return nil
	}
	return r.follow(verb, args, result)
}

func (r *recorder) say(what string) {
	r.begun = r.begun || strings.HasPrefix(what, "begin")
	if strings.HasPrefix(what, "ack") {
		r.add(action{kind: doAck})
	}
}

func (r *recorder) add(a action) { r.actions = append(r.actions, a) }

func (r *recorder) follow(verb string, args []string, result string) error {
	f := r.open[args[0]]
	switch verb {
	case "openat":
		return r.openat(args, result)
	case "close":
		delete(r.open, args[0])
	case "write", "pwrite64":
		if f != nil {
			return r.write(f, verb, args, result)
		}
	case "fsync", "fdatasync":
		if f == nil {
			return fmt.Errorf("a sync of what is not known")
		}
		if f.inode == 0 {
			r.add(action{kind: doSyncDir})
		} else {
			r.add(action{kind: doSync, inode: f.inode})
		}
	case "ftruncate":
		size, err := strconv.Atoi(args[1])
		if f != nil && err == nil {
			r.cut(f.inode, size)
		}
		return err
	case "rename":
		return r.rename(args[0], args[1])
	case "renameat", "renameat2":
		return r.rename(r.at(args[0], args[1]), r.at(args[2], args[3]))
	case "linkat":
		return r.addName(r.at(args[0], args[1]), r.at(args[2], args[3]))
	case "unlink":
		r.unlink(args[0])
	case "unlinkat":
		r.unlink(r.at(args[0], args[1]))
	case "lseek",
		"dup",
		"dup2",
		"dup3",
		"writev",
		"pwritev",
		"pwritev2",
		"fallocate",
		"sync_file_range",
		"sendfile",
		"splice",
		"copy_file_range":
		if f != nil || len(args) > 2 && r.open[args[2]] != nil {
			return fmt.Errorf("the model does not know this call")
		}
	default:
		return fmt.Errorf("the model does not know this call")
	}
	return nil
}

// at is the path of what a call names relative to a descriptor.
func (r *recorder) at(fd, path string) string {
	if f := r.open[fd]; f != nil && f.inode == 0 && !filepath.IsAbs(path) {
		return filepath.Join(r.dir, path)
	}
	return path
}

// inside is the name of path in the directory.
func (r *recorder) inside(path string) (string, bool) {
	return filepath.Base(path), filepath.Dir(path) == r.dir
}

func (r *recorder) openat(args []string, fd string) error {
	path, flags := r.at(args[0], args[1]), "|"+args[2]+"|"
	has := func(flag string) bool { return strings.Contains(flags, "|"+flag+"|") }
	if filepath.Clean(path) == r.dir {
		r.open[fd] = &openFile{}
		return nil
	}
	name, ok := r.inside(path)
	if !ok {
		return nil
	}
	if has("O_TMPFILE") || has("O_DIRECT") || has("O_SYNC") || has("O_DSYNC") {
		return fmt.Errorf("the model does not know these flags")
	}
	inode := r.names[name]
	if inode == 0 {
		if !has("O_CREAT") {
			return fmt.Errorf("a file is opened that the model does not have")
		}
		inode = len(r.files) + 1
		r.files[inode] = nil
		r.link(map[string]int{name: inode})
	}
	if has("O_TRUNC") && len(r.files[inode]) > 0 {
		r.cut(inode, 0)
	}
	r.open[fd] = &openFile{inode: inode, append: has("O_APPEND")}
	return nil
}

func (r *recorder) link(names map[string]int) {
	maps.Copy(r.names, names)
	r.add(action{kind: doNames, names: names})
}

func (r *recorder) rename(from, to string) error {
	old, ok1 := r.inside(from)
	now, ok2 := r.inside(to)
	if !ok1 || !ok2 || r.names[old] == 0 {
		return fmt.Errorf("a rename that leaves the directory")
	}
	r.link(map[string]int{old: 0, now: r.names[old]})
	return nil
}

func (r *recorder) addName(from, to string) error {
	old, ok1 := r.inside(from)
	now, ok2 := r.inside(to)
	if !ok1 || !ok2 || r.names[old] == 0 {
		return fmt.Errorf("a link that leaves the directory")
	}
	r.link(map[string]int{now: r.names[old]})
	return nil
}

func (r *recorder) unlink(path string) {
	if name, ok := r.inside(path); ok {
		r.link(map[string]int{name: 0})
	}
}

func (r *recorder) write(f *openFile, verb string, args []string, result string) error {
	n, err := strconv.Atoi(result)
	if err != nil || n > len(args[1]) {
		return fmt.Errorf("%s bytes of %d are written", result, len(args[1]))
	}
	off := f.pos
	switch {
	case verb == "pwrite64":
		if off, err = strconv.Atoi(args[3]); err != nil {
			return err
		}
	case f.append:
		off = len(r.files[f.inode])
		f.pos = off + n
	default:
		f.pos += n
	}
	r.change(action{kind: doWrite, inode: f.inode, off: off, data: []byte(args[1][:n])})
	return nil
}

func (r *recorder) cut(inode, size int) { r.change(action{kind: doCut, inode: inode, off: size}) }

func (r *recorder) change(a action) {
	r.files[a.inode] = a.on(r.files[a.inode])
	r.add(a)
}

// on is what the action makes of a content, which it leaves alone.
func (a action) on(content []byte) []byte {
	size := max(len(content), a.off+len(a.data))
	if a.kind == doCut {
		size = a.off
	}
	changed := make([]byte, size)
	copy(changed, content)
	copy(changed[min(a.off, size):], a.data)
	return changed
}

// A crashState is what may be there after a cut.
type crashState struct {
	files map[string][]byte
	holes bool // in a file, what was written later is there and what was before is not
	acked int
}

func (s crashState) key() string {
	var b strings.Builder
	fmt.Fprint(&b, s.acked, s.holes)
	temps := 0
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if isTemp(name) {
			temps++
			continue
		}
		fmt.Fprintf(&b, "\x00%s\x00%d\x00%s", name, len(s.files[name]), s.files[name])
	}
	fmt.Fprint(&b, "\x00", temps)
	return b.String()
}

// crashStates are all that a cut at any point can leave, each once.
func (r *recording) crashStates(yield func(crashState) bool) {
	seen := map[string]bool{}
	for cut := range len(r.actions) + 1 {
		done := true
		r.statesAt(cut, func(s crashState) bool {
			key := s.key()
			if seen[key] {
				return true
			}
			seen[key] = true
			done = yield(s)
			return done
		})
		if !done {
			return
		}
	}
}

// statesAt are those after the first cut actions.
func (r *recording) statesAt(cut int, yield func(crashState) bool) {
	acked := 0
	for _, a := range r.actions[:cut] {
		if a.kind == doAck {
			acked++
		}
	}
	contents := map[int][]variant{}
	for _, names := range r.namesAt(cut) {
		states := []crashState{{files: map[string][]byte{}, acked: acked}}
		for name, inode := range names {
			if contents[inode] == nil {
				contents[inode] = r.contentsAt(cut, inode)
			}
			choice := contents[inode]
			if isTemp(name) {
				choice = choice[:1] // nobody reads it
			}
			states = times(states, name, choice)
		}
		for _, s := range states {
			if !yield(s) {
				return
			}
		}
	}
}

// times are states each with each content of one more file.
func times(states []crashState, name string, contents []variant) []crashState {
	var all []crashState
	for _, s := range states {
		for _, v := range contents {
			files := maps.Clone(s.files)
			files[name] = v.data
			all = append(all, crashState{files, s.holes || v.holes, s.acked})
		}
	}
	return all
}

// pending are the actions before cut that no sync makes sure of, and what
// the others have done is given to settle.
func (r *recording) pending(cut int, ours func(action) bool, synced func(action) bool, settle func(action)) (rest []action) {
	for _, a := range r.actions[:cut] {
		if synced(a) {
			for _, done := range rest {
				settle(done)
			}
			rest = nil
		}
		if ours(a) {
			rest = append(rest, a)
		}
	}
	return rest
}

// namesAt are the states of the directory.
func (r *recording) namesAt(cut int) (all []map[string]int) {
	sure := maps.Clone(r.names)
	apply := func(to map[string]int, a action) {
		for name, inode := range a.names {
			if to[name] = inode; inode == 0 {
				delete(to, name)
			}
		}
	}
	rest := r.pending(cut,
		func(a action) bool { return a.kind == doNames },
		func(a action) bool { return a.kind == doSyncDir },
		func(a action) { apply(sure, a) })
	for chosen := range subsets(len(rest)) {
		names := maps.Clone(sure)
		for i, a := range rest {
			if chosen[i] {
				apply(names, a)
			}
		}
		all = append(all, names)
	}
	return all
}

// subsets yields the subsets of n things; of many only those that a few make
// or leave out.
func subsets(n int) func(yield func([]bool) bool) {
	return func(yield func([]bool) bool) {
		chosen := make([]bool, n)
		if n <= 8 {
			for bits := range 1 << n {
				for i := range n {
					chosen[i] = bits>>i&1 == 1
				}
				if !yield(chosen) {
					return
				}
			}
			return
		}
		for _, most := range []bool{false, true} {
			for first := -1; first < n; first++ {
				for second := first; second < n; second++ {
					for i := range n {
						chosen[i] = most != (i == first || i == second)
					}
					if !yield(chosen) {
						return
					}
				}
			}
		}
	}
}

// A variant is a content that a file may have.
type variant struct {
	data  []byte
	holes bool
}

// contentsAt are the contents of a file.
func (r *recording) contentsAt(cut, inode int) []variant {
	sure := r.files[inode]
	rest := r.pending(cut,
		func(a action) bool { return (a.kind == doWrite || a.kind == doCut) && a.inode == inode },
		func(a action) bool { return a.kind == doSync && a.inode == inode },
		func(a action) { sure = a.on(sure) })
	all := []variant{{data: sure}}
	all = append(all, beginnings(sure, rest)...)
	for chosen := range subsets(len(rest)) {
		data := sure
		for i, a := range rest {
			if chosen[i] {
				data = a.on(data)
			} else if a.kind == doWrite && slices.Contains(chosen[i:], true) {
				data = action{kind: doWrite, off: a.off, data: under(data, a)}.on(data)
			}
		}
		all = append(all, variant{data, true})
	}
	return append(all, sectors(sure, rest)...)
}

// beginnings are what there is if writes reach the disk in their order.
func beginnings(data []byte, rest []action) (all []variant) {
	for _, a := range rest {
		if a.kind == doWrite {
			for _, n := range lengths(a.off, len(a.data)) {
				part := a
				part.data = a.data[:n]
				all = append(all, variant{data: part.on(data)})
				part.data = under(data, part)
				all = append(all, variant{part.on(data), true})
			}
		}
		data = a.on(data)
		all = append(all, variant{data: data})
	}
	return all
}

// lengths are some at which a write of n bytes at off may be cut.
func lengths(off, n int) (all []int) {
	all = []int{1, 2, n - 2, n - 1}
	for l := 3; l < n; l += 23 {
		all = append(all, l)
	}
	for edge := (off/sector + 1) * sector; edge < off+n; edge += sector {
		all = append(all, edge-off-1, edge-off, edge-off+1)
	}
	return slices.DeleteFunc(all, func(l int) bool { return l <= 0 || l >= n })
}

// under is what data has, or zeros, where a writes.
func under(data []byte, a action) []byte {
	had := make([]byte, len(a.data))
	if a.off < len(data) {
		copy(had, data[a.off:])
	}
	return had
}

// sectors are what there is if all is as long as it should be, but not every
// sector has reached the disk.
func sectors(sure []byte, rest []action) (all []variant) {
	data := sure
	for _, a := range rest {
		data = a.on(data)
	}
	had := action{kind: doCut, off: len(data)}.on(sure)
	var differ []int
	for at := 0; at < len(data); at += sector {
		end := min(at+sector, len(data))
		if !bytes.Equal(data[at:end], had[at:end]) {
			differ = append(differ, at)
		}
	}
	for missing := range subsets(len(differ)) {
		mixed := bytes.Clone(data)
		for i, at := range differ {
			if missing[i] {
				end := min(at+sector, len(data))
				copy(mixed[at:end], had[at:end])
			}
		}
		all = append(all, variant{mixed, true})
	}
	return all
}
