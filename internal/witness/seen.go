package witness

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Loss is a way to lose a file that a run shows, whether or not somebody claims it.
type Loss struct {
	// Kind is "truncation", "unsynced" or "update".
	Kind string
	// Site is where the program loses: the truncation, the rename, the save. Other is the load of an update; both are
	// in the function that does one after the other.
	Site, Other Frame
	// Package and Test are those that show it first, and Tests counts all that do.
	Package, Test string
	Tests         int
	// File is the file, as the test had it, and Size what it held before: -1 for no file.
	File string
	Size int64
	// Read is where the program reads the file; the zero Frame where it does not.
	Read Frame
	// Says is the loss in a sentence.
	Says string
}

// Seen are the losses that the tests which pass have shown, but for those at sites that are known: every truncation
// of a file that the program reads, every rename of content that was not synced, every load and save of one function
// without a lock around both.
func (t *Trace) Seen(known []Site) []Loss {
	type place struct {
		kind string
		site Frame
	}
	var list []Loss
	at := map[place]int{}
	tests := map[place]map[string]bool{}
	for _, r := range t.runs {
		readers := r.reads()
		for _, p := range r.processes {
			for _, f := range append(p.saves(r, readers), p.updates(r)...) {
				if f.known(known) {
					continue
				}
				key := place{f.Kind, f.Site}
				if tests[key] == nil {
					f.Package = r.pkg.ImportPath
					tests[key] = map[string]bool{}
					at[key] = len(list)
					list = append(list, f.Loss)
				}
				tests[key][r.pkg.ImportPath+" "+f.Test] = true
				list[at[key]].Tests = len(tests[key])
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Site.File, b.Site.File), cmp.Compare(a.Site.Line, b.Site.Line),
			cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// A found loss has the stacks that lead to it.
type found struct {
	Loss
	stacks []stack
}

// known reports whether the loss is at one of the sites.
func (f found) known(sites []Site) bool {
	return slices.ContainsFunc(sites, func(site Site) bool {
		return slices.ContainsFunc(f.stacks, func(s stack) bool { return s.at(site) })
	})
}

// passed reports whether the operation is of a test that passes.
func (r *run) passed(o *op) bool {
	result := r.tests[o.top]
	return result != nil && result.outcome == "PASS"
}

// reads are the openings by which code outside of tests reads files, by their paths and by their names.
type reads struct{ paths, names map[string][]*op }

func (r *run) reads() reads {
	list := reads{map[string][]*op{}, map[string][]*op{}}
	for _, o := range r.ops() {
		if _, code := o.stack.site(); code && o.opens() && o.flag&(os.O_WRONLY|os.O_TRUNC) == 0 && r.passed(o) {
			list.paths[o.path] = append(list.paths[o.path], o)
			name := filepath.Base(o.path)
			list.names[name] = append(list.names[name], o)
		}
	}
	return list
}

// of is where the program reads the file: in the same test, or in another one a file of the same name, by code in the
// folder of the writer.
func (l reads) of(test, path string, writer Frame) (Frame, bool) {
	for _, o := range l.paths[path] {
		if o.top == test {
			return o.stack.site()
		}
	}
	for _, o := range l.names[filepath.Base(path)] {
		if site, _ := o.stack.site(); filepath.Dir(site.File) == filepath.Dir(writer.File) {
			return site, true
		}
	}
	return Frame{}, false
}

// saves are the truncations and the renames of unsynced content of a process.
func (p *process) saves(r *run, readers reads) []found {
	var list []found
	for _, e := range p.episodes() {
		total, _ := e.wrote()
		if !e.open.writes() || total == 0 || !r.passed(e.open) {
			continue
		}
		if len(e.renames) > 0 {
			if f, ok := e.unsynced(p, readers); ok {
				list = append(list, f)
			}
			continue
		}
		if f, ok := e.truncation(readers); ok {
			list = append(list, f)
		}
	}
	return list
}

// truncation is the loss of a file that is truncated before it is written, if the program reads the file.
func (e *episode) truncation(readers reads) (found, bool) {
	at := e.open
	if e.open.flag&os.O_TRUNC == 0 {
		i := slices.IndexFunc(e.ops, func(o *op) bool { return o.kind == "truncate" && o.err == "" && o.n < o.size })
		if i < 0 || !slices.ContainsFunc(e.ops[i:], func(o *op) bool { return o.kind == "write" }) {
			return found{}, false
		}
		at = e.ops[i]
	}
	site, ok := at.stack.site()
	if !ok || e.open.flag&os.O_EXCL != 0 {
		return found{}, false
	}
	read, ok := readers.of(at.top, at.path, site)
	if !ok {
		return found{}, false
	}
	return found{Loss{Kind: "truncation", Site: site, Test: at.top, File: at.path, Size: at.size, Read: read,
		Says: fmt.Sprintf("%s truncates %s before it is written, and %s reads it", site, filepath.Base(at.path), read),
	}, []stack{at.stack}}, true
}

// unsynced is the loss of a file whose content is renamed before it is on the disk.
func (e *episode) unsynced(p *process, readers reads) (found, bool) {
	rename := e.renames[0]
	last := 0
	for _, o := range e.ops {
		if o.kind == "write" {
			last = o.seq
		}
	}
	synced := slices.ContainsFunc(p.between(last, rename.seq), func(o *op) bool {
		return o.kind == "sync" && o.err == "" && o.same(e.open)
	})
	site, ok := rename.stack.site()
	if synced || !ok {
		return found{}, false
	}
	read, _ := readers.of(rename.top, rename.to, site)
	return found{Loss{Kind: "unsynced", Site: site, Test: rename.top, File: rename.to, Size: rename.size, Read: read,
		Says: fmt.Sprintf("%s renames to %s what was not synced", site, filepath.Base(rename.to)),
	}, []stack{rename.stack, e.open.stack}}, true
}

// updates are the loads and saves of one file by one function, without a lock around both.
func (p *process) updates(r *run) []found {
	var list []found
	if !locksSeen {
		return nil
	}
	es := p.episodes()
	for i, e := range es {
		total, _ := e.wrote()
		if !e.open.writes() || total == 0 || !r.passed(e.open) {
			continue
		}
		save := e.open
		if len(e.renames) > 0 {
			save = e.renames[0]
		} else if save.flag&os.O_EXCL != 0 {
			continue // it replaces nothing
		}
		load := loadBefore(es[:i+1], e, save)
		if load == nil || p.lockAround(load, save) {
			continue
		}
		if load == save { // one handle is read and written: the places are those of the calls
			load, save = e.firstOf("read", load), e.firstOf("write", save)
		}
		other, site, _ := inOneCall(load.stack, save.stack)
		list = append(list, found{Loss{Kind: "update", Site: site, Other: other, Test: save.top, File: e.target(),
			Size: load.size, Read: other,
			Says: fmt.Sprintf("%s loads %s and %s saves it, with no lock between processes around both", other,
				filepath.Base(e.target()), site),
		}, []stack{save.stack, load.stack}})
	}
	return list
}

// firstOf is the first operation of a kind in an episode, or else what is given.
func (e *episode) firstOf(kind string, otherwise *op) *op {
	if i := slices.IndexFunc(e.ops, func(o *op) bool { return o.kind == kind && len(o.stack) > 0 }); i >= 0 {
		return e.ops[i]
	}
	return otherwise
}

// loadBefore is the last load of the file that e saves, by the same function; nil where there is none.
func loadBefore(es []*episode, e *episode, save *op) *op {
	for _, l := range slices.Backward(es) {
		o := l.open
		if o.path != e.target() || o.goroutine != save.goroutine || o.test != save.test || l.read() == 0 {
			continue
		}
		if l != e && o.writes() {
			return nil // it is made of what was saved there
		}
		if _, _, ok := inOneCall(o.stack, save.stack); !ok {
			return nil
		}
		return o
	}
	return nil
}

// read counts the bytes that are read in an episode.
func (e *episode) read() (total int64) {
	if e == nil {
		return 0
	}
	for _, o := range e.ops {
		if o.kind == "read" {
			total += o.n
		}
	}
	return total
}

// inOneCall are the lines of the innermost call of a function outside of tests that two stacks go through: where it
// goes on to a, and later to b. What stands further down in the function belongs to an earlier call of it.
func inOneCall(a, b stack) (inA, inB Frame, ok bool) {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0 && a[i].Func == b[j].Func; i, j = i-1, j-1 {
		if !a[i].test() {
			inA, inB, ok = a[i], b[j], true
		}
		if a[i].Line != b[j].Line {
			break
		}
	}
	return inA, inB, ok && inA.Line <= inB.Line
}

// lockAround reports whether the process holds a lock of its own from the load on until the save.
func (p *process) lockAround(load, save *op) bool {
	held := p.locksAt(save)
	return slices.ContainsFunc(p.locksAt(load), func(lock *op) bool { return !lock.shared() && slices.Contains(held, lock) })
}
