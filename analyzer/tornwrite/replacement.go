package tornwrite

import (
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
)

// creator finds the effect that made the file which the i-th effect renames; nil for a
// plain rename of something that was there before.
func creator(f *effects.Func, i int) *effects.Effect {
	r := f.Effects[i]
	if r.Path == nil || r.Target == nil || setsAside(r) {
		return nil
	}
	var found *effects.Effect
	for _, e := range f.Effects[:i] {
		switch e.Kind {
		case effects.Truncate, effects.CreateExclusive, effects.Open:
			if memory.SameFile(e.Path, r.Path) {
				found = e
			}
		}
	}
	return found
}

// setsAside reports whether the rename moves a file out of the way, to its own
// name with something behind it: a backup or a rotation, not a publication.
func setsAside(r *effects.Effect) bool {
	return r.Target.Extends(r.Path.Path())
}

// A replacement is a temporary file on its way to its target.
type replacement struct {
	p         *failure.Package
	root      *effects.Func
	w, rename *effects.Effect
	temp, dst *pathexpr.Term

	written, synced, dropped bool
	closed                   bool            // before the rename, on every path
	closedLater              bool            // only afterwards
	emptied                  *effects.Effect // what takes the target away before the rename, nil for nothing
}

// judgeReplacement judges a temporary file that is renamed to its target; guarded is the
// judgement if nobody else can use its name.
func (c *checker) judgeReplacement(root *effects.Func, w, rename *effects.Effect) (f, guarded *finding.Finding) {
	d := &replacement{p: c.p, root: root, w: w, rename: rename, temp: w.Path.Path(), dst: rename.Target}
	d.observe()
	look := c.candidate(w)
	if d.emptied != nil && c.putBack(d) &&
		look.Says(journal, d.emptied.Pos, "the program reads "+d.emptied.Target.Named("that file")+", or puts it back") {
		d.emptied = nil
	}
	switch {
	case !d.written && look.Says(plainRename, rename.Pos, "what is renamed is not written here"),
		w.Foreign != "" && (w.Reported || rename.Foreign != "") && look.Says(toldThere, rename.Pos, "it stands in "+pathexpr.ShortName(w.Foreign)):
		return nil, nil
	}
	variant := d.variant()
	if variant == "" {
		look.Says(synced, rename.Pos, "it is synced before the rename")
	}
	f = c.judge(d, variant)
	if variant == "fixedtemp" || variant == "pidtemp" {
		return f, c.judge(d, d.published())
	}
	return f, f
}

// judge makes the finding of a variant, nil where nothing speaks for state.
func (c *checker) judge(d *replacement, variant string) *finding.Finding {
	if variant == "" {
		return nil
	}
	root, w, rename := d.root, d.w, d.rename
	how := state.WriteContext{Published: true, Emptied: true, Fails: fails[variant], Stuck: variant == "stucktemp"}
	if rename.Call != nil && len(rename.Call.Args) > 1 {
		how.Target = rename.Call.Args[1]
	}
	v := c.holdsState(c.candidate(w).Is(variant), root, w, d.dst, how)
	if !v.State {
		return nil
	}
	f := about(w, variant, v.Evidence)
	if w.In != rename.In {
		d.meet(f)
	}
	f.Sentence = d.sentence(f.Func, variant)
	f.Schedule = d.schedule(variant)
	f.Remedy, f.NoFix = d.remedy(variant)
	return f
}

// meet moves the report to where the two halves of a replacement come together: the
// call that leads to the rename, in the innermost function that has both.
func (d *replacement) meet(f *finding.Finding) {
	at, fn := append(slices.Clone(d.rename.Via), d.rename.Call), d.root
	for i := 0; i < len(d.w.Via) && i < len(d.rename.Via) && d.w.Via[i] == d.rename.Via[i]; i++ {
		at = at[1:]
		if fn = d.p.Callee(d.w.Via[i]); fn == nil {
			return
		}
	}
	if at[0] != nil {
		f.Pos, f.End, f.Func = at[0].Pos(), at[0].End(), fn.Name()
	}
}

// fails lists the variants that are mistakes whatever the file holds.
var fails = map[string]bool{"fixedtemp": true, "pidtemp": true, "removefirst": true, "stucktemp": true, "crossdir": true}

// observe collects what happens to the temporary file and to its target.
func (d *replacement) observe() {
	d.written = d.w.Whole
	d.synced = d.w.Synced
	for _, e := range d.root.OfKind(effects.Sync, effects.Write, effects.Escape, effects.Close, effects.Remove, effects.Rename) {
		mine := e.On(d.w.Handle)
		switch e.Kind {
		case effects.Sync:
			d.synced = d.synced || mine || !d.isDirectory(e.Path)
		case effects.Write:
			d.written = d.written || mine
		case effects.Escape:
			d.written = d.written || mine
			// Code that cannot be seen may sync what it is given.
			d.synced = d.synced || mine && e.Call != nil
		case effects.Close:
			if mine {
				d.seeClose(e)
			}
		case effects.Remove, effects.Rename:
			if d.emptied == nil && d.makesRoom(e) {
				d.emptied = e
			}
		}
	}
}

// isDirectory reports whether a path is the directory of the temporary file or of its
// target: to sync that makes the rename last, and not what the file holds.
func (d *replacement) isDirectory(path *pathexpr.Term) bool {
	return pathexpr.IsDirOf(path.Path(), d.dst) || pathexpr.IsDirOf(path.Path(), d.temp)
}

// makesRoom reports whether e takes the target away, by removing or renaming it, as a part of the
// replacement: it happens once the temporary file is there. What is removed before that is no
// longer wanted.
func (d *replacement) makesRoom(e *effects.Effect) bool {
	if !memory.SameFile(e.Path, d.dst) || !effects.Before(d.w, e) || !effects.Before(e, d.rename) {
		return false
	}
	return !slices.ContainsFunc(d.root.OfKind(effects.Rename), func(r *effects.Effect) bool {
		return memory.SameFile(r.Target, d.dst) && effects.Before(r, e) && d.p.AsksWhy(r)
	})
}

// putBack reports whether the target gets another name, under which the program looks for it after a
// crash: it reads that file, or gives it the old name again, and not only where the replacement fails.
func (c *checker) putBack(d *replacement) bool {
	aside := d.emptied.Target
	if d.emptied.Kind != effects.Rename || aside == nil {
		return false
	}
	if c.x.Reader(d.root, aside) != nil {
		return true
	}
	family := aside.PackageKey()
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.OfKind(effects.Rename), func(e *effects.Effect) bool {
			if f == d.root {
				return memory.SameFile(e.Path, aside) && !effects.Reaches(d.emptied, e)
			}
			return family != "" && e.Path.PackageKey() == family && !c.p.CanCall(d.root, f) && !c.p.CanCall(f, d.root)
		})
	})
}

func (d *replacement) seeClose(e *effects.Effect) {
	if effects.Before(e, d.rename) {
		d.closed = true
		d.dropped = e.Dropped && !d.w.Whole
	} else if e.When == effects.Deferred || effects.Before(d.rename, e) {
		d.closedLater = true
	}
}

// variant names the worst mistake of the replacement, "" for none.
func (d *replacement) variant() string {
	switch {
	case d.emptied != nil:
		return "removefirst"
	case d.crossDir():
		return "crossdir"
	case d.w.Kind == effects.CreateExclusive && !d.temp.Has(pathexpr.Fresh):
		// An exclusive create refuses a second writer, and with it all that come after a
		// crash. Who makes a lock of that file wants it so.
		if d.fixedName() && !d.isClaim() && !d.cleared() {
			return "stucktemp"
		}
	case d.fixedName() && d.temp.Last().Has(pathexpr.Pid):
		return "pidtemp"
	case d.fixedName():
		return "fixedtemp"
	}
	return d.published()
}

// isClaim reports whether the temporary file says that somebody is at work: its name does,
// or the function asks whether it was there already.
func (d *replacement) isClaim() bool {
	last := d.temp.Expanded().Last()
	return slices.ContainsFunc(append(pathexpr.Names(last), pathexpr.Constants(last)...), lexicon.NamesLock) || d.p.AsksWhy(d.w)
}

// cleared reports whether the function may remove what an earlier run has left under the
// temporary name.
func (d *replacement) cleared() bool {
	return slices.ContainsFunc(d.root.OfKind(effects.Remove), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, d.temp) && effects.Reaches(e, d.w)
	})
}

// published names the mistake in how the content reaches the disk, "" for none.
func (d *replacement) published() string {
	switch {
	case d.closedLater && !d.closed:
		return "renameopen"
	case d.synced:
		return ""
	case d.dropped:
		return "closeerror"
	}
	return "nosync"
}

// fixedName reports whether every writer of the target computes the same
// temporary name: it is made of constants and of what the target's name is
// made of. Anything else might make it unique.
func (d *replacement) fixedName() bool {
	if d.temp.Has(pathexpr.Fresh) || d.temp.Has(pathexpr.Random) {
		return false
	}
	parts := map[string]bool{}
	leaves(d.dst, func(t *pathexpr.Term) { parts[t.Key()] = true })
	fixed := true
	leaves(d.temp, func(t *pathexpr.Term) {
		switch t.Kind {
		case pathexpr.Const, pathexpr.Pid, pathexpr.Global:
		default:
			fixed = fixed && parts[t.Key()]
		}
	})
	return fixed
}

// leaves visits the parts that a path is computed from.
func leaves(t *pathexpr.Term, f func(*pathexpr.Term)) {
	if t == nil {
		return
	}
	switch t.Kind {
	case pathexpr.Join, pathexpr.Concat, pathexpr.Alt, pathexpr.Call:
		if len(t.Args) > 0 {
			for _, a := range t.Args {
				leaves(a, f)
			}
			return
		}
	}
	f(t)
}

// crossDir reports whether the temporary file is made in the system's
// temporary directory while the target is not.
func (d *replacement) crossDir() bool {
	var fresh *pathexpr.Term
	d.temp.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Fresh {
			fresh = t
		}
		return fresh != nil
	})
	dir := d.temp
	if fresh != nil {
		if len(fresh.Args) == 0 {
			return false
		}
		if dir = fresh.Args[0]; dir.Kind == pathexpr.Const && dir.Text == "" {
			return len(fresh.Args) > 1 && !isTemp(d.dst)
		}
	}
	return isTemp(dir) && !isTemp(d.dst)
}

func isTemp(t *pathexpr.Term) bool {
	return t.Any(func(x *pathexpr.Term) bool {
		return x.Kind == pathexpr.Call && x.Text == "os.TempDir" ||
			x.Kind == pathexpr.Const && (x.Text == "/tmp" || len(x.Text) > 5 && x.Text[:5] == "/tmp/")
	})
}

func (d *replacement) sentence(fn, variant string) string {
	dst, tmp := d.dst.Named("its target"), d.temp.Named("a temporary file")
	switch variant {
	case "removefirst":
		if d.emptied.Kind == effects.Rename {
			return fmt.Sprintf("%s renames %s to %s before it renames the new file to that name: a crash in between "+
				"leaves no file there", fn, dst, d.emptied.Target.Named("another name"))
		}
		return fmt.Sprintf("%s removes %s before it renames the new file over it: a crash in between leaves no file", fn, dst)
	case "crossdir":
		return fmt.Sprintf(
			"%s makes the temporary file for %s in another directory: the rename fails when that is another file system",
			fn,
			dst,
		)
	case "fixedtemp":
		return fmt.Sprintf("%s writes %s through %s, a name that every writer shares: two writers publish a mixture, "+
			"or one rename fails", fn, dst, tmp)
	case "stucktemp":
		return fmt.Sprintf("%s makes %s, which must not exist yet, to replace %s, and nothing removes what a crash "+
			"has left: no later save succeeds", fn, tmp, dst)
	case "pidtemp":
		return fmt.Sprintf("%s writes %s through %s, which goroutines of one process share: two writers publish a mixture", fn, dst, tmp)
	case "renameopen":
		return fmt.Sprintf("%s renames the temporary file over %s before it is closed: a late write error is "+
			"published, and Windows refuses", fn, dst)
	case "closeerror":
		return fmt.Sprintf("%s drops the error of Close and syncs nothing before it renames the file over %s: a "+
			"failed write is published", fn, dst)
	}
	return fmt.Sprintf("%s renames a file over %s that was never synced: after a power cut %s can be empty", fn, dst, dst)
}

func (d *replacement) schedule(variant string) []finding.Step {
	at, ren, dst := d.w.Pos, d.rename.Pos, d.dst.Named("its target")
	switch variant {
	case "fixedtemp", "pidtemp":
		a, b, act := "process A", "process B", finding.SharesTemp
		if variant == "pidtemp" {
			a, b, act = "goroutine A", "goroutine B", finding.SharesItsTemp
		}
		return []finding.Step{
			{Actor: a, Pos: at, Does: "writes the temporary file"},
			{Actor: b, Pos: at, Does: "truncates the same temporary file and starts to write", Acts: []finding.Act{act}},
			{Actor: a, Pos: ren, Does: "renames it over " + dst, File: "half of B's content"},
			{Actor: b, Pos: ren, Does: "finds no temporary file to rename; its save fails"},
		}
	case "stucktemp":
		return []finding.Step{
			{Actor: "process A", Pos: at, Does: "makes the temporary file"},
			{Actor: "process A", Pos: ren, Does: "is killed before the rename"},
			{Actor: "process B", Pos: at, Does: "finds the temporary file there and fails, as does each that comes after it",
				Acts: []finding.Act{finding.FindsStuckTemp}},
		}
	case "removefirst":
		verb := "removes "
		if d.emptied.Kind == effects.Rename {
			verb = "renames "
		}
		return []finding.Step{
			{Actor: "process A", Pos: d.emptied.Pos, Does: verb + dst, File: "nothing: the name is gone"},
			{Actor: "process A", Pos: ren, Does: "is killed before the rename"},
			{Actor: "process B", Does: "finds no file and starts from nothing", Acts: []finding.Act{finding.Reads}},
		}
	case "crossdir":
		return []finding.Step{
			{Actor: "process A", Pos: at, Does: "writes the temporary file in the system's temporary directory"},
			{Actor: "process A", Pos: ren, Does: "renames it to " + dst + " on another file system and gets EXDEV: nothing is saved",
				Acts: []finding.Act{finding.CrossesDevices}},
		}
	}
	loses := finding.Step{Actor: "the machine", Pos: ren, Does: "loses power", File: "nothing, or zeros", Acts: []finding.Act{finding.LosesPower}}
	if variant == "closeerror" {
		loses.Acts = []finding.Act{finding.DiskFull, finding.LosesPower}
	}
	return []finding.Step{
		{Actor: "process A", Pos: at, Does: "writes the temporary file; the bytes stand in memory only"},
		{Actor: "process A", Pos: ren, Does: "renames it over " + dst + "; the name is on disk before the bytes"},
		loses,
	}
}

// remedy asks for one call in place of the replacement, where one function does all of it
// alone, and for a sync where nothing else is missing.
func (d *replacement) remedy(variant string) (finding.Remedy, string) {
	w, r := d.w, d.rename
	switch {
	case w.Foreign != "" || r.Foreign != "":
		return nil, "a part of it stands in another package"
	case w.Call == nil || r.Call == nil || len(r.Call.Args) < 2:
		return nil, "the calls are not written out here"
	case w.In != r.In:
		return nil, fmt.Sprintf("the temporary file and its rename stand in different functions: it is renamed in %s, at %s",
			memory.FuncName(r.In), finding.At(d.p.Pass.Fset, r.Pos))
	}
	body := effects.BodyOf(w.In)
	if body == nil {
		return nil, "the function has no source"
	}
	collapse := finding.CollapseTemp{Body: body, Open: w.Call, Rename: r.Call}
	if variant == "nosync" {
		return finding.SyncTemp{Body: body, Open: w.Call, Rename: r.Call, Else: collapse}, ""
	}
	return collapse, ""
}
