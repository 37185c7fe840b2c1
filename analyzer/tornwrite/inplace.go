package tornwrite

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/replacers"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// inPlace judges a write that empties the file it writes, or that leaves the
// tail of what the file held; guarded is the judgement if nobody reads the file
// meanwhile.
func (c *checker) inPlace(root *effects.Func, w *effects.Effect) (f, guarded *finding.Finding) {
	look := c.candidate(w)
	switch {
	case c.harmless(root, w),
		w.Foreign != "" && w.Reported && look.Says(toldThere, w.Pos, "it stands in "+pathexpr.ShortName(w.Foreign)):
		return nil, nil
	}
	variant := "inplace"
	if keepsContent(w) {
		if variant = "oldtail"; isRepositioned(root, w) && look.Says(repositioned, w.Pos, "the handle is used for more than this content") {
			return nil, nil
		}
	}
	v := c.holdsState(look.Is(variant), root, w, w.Path, state.WriteContext{Fails: variant == "oldtail", Emptied: variant == "inplace"})
	if !v.State {
		return nil, nil
	}
	f = about(w, variant, v.Evidence)
	f.Remedy, f.NoFix = remedy(root, w)
	f.Elsewhere = w.Site
	alone := *f
	f.Sentence, f.Schedule = sentence(w, variant, "a crash or a reader in between meets"), c.tearing(root, w, true)
	alone.Sentence, alone.Schedule = sentence(w, variant, "a crash in between leaves"), c.tearing(root, w, false)
	return f, &alone
}

func sentence(w *effects.Effect, variant, between string) string {
	path, fn := w.Path.Named("a file"), memory.FuncName(w.In)
	switch by := pathexpr.ShortName(w.Foreign); {
	case variant == "oldtail":
		if by != "" {
			by = " through " + by + "()"
		}
		return fmt.Sprintf("%s overwrites %s%s without truncating it: a shorter content keeps the tail of the old "+
			"one, and a crash leaves a mixture", fn, path, by)
	case by != "":
		return fmt.Sprintf("%s rewrites %s in place through %s(): %s a torn file", fn, path, by, between)
	}
	return fmt.Sprintf("%s truncates %s before it is written: %s an empty file", fn, path, between)
}

// harmless reports whether nothing is lost of the file that is written, whatever it
// holds.
func (c *checker) harmless(root *effects.Func, w *effects.Effect) bool {
	k := c.candidate(w)
	if w.Path == nil {
		k.Says(state.NoPath, w.Pos, "the path is not known")
		return true
	}
	return w.Path.Last().Has(pathexpr.Pid) && k.Says(pidName, w.Pos, "the name has the number of the process in it") ||
		isUnfinished(w.Path) && k.Says(unfinished, w.Pos, "its name ends as that of a file which is not done") ||
		c.movesAway(root, w) && k.Says(movedAway, w.Pos, "its directory is renamed afterwards") ||
		isShortLived(root, w) && k.Says(shortLived, w.Pos, "the function removes it when it returns") ||
		c.primitive(w) && k.Says(method, w.Pos, "it is the WriteFile of a file system") ||
		!c.written(root, w) && k.Says(marker, w.Pos, "no write to it is seen, here or in what is called") ||
		hasOwnLock(root, w) && k.Says(ownLock, w.Pos, "the file is its own lock, and kept") ||
		c.isPinned(k, w)
}

// isPinned reports whether the file has to stay the one that it is.
func (c *checker) isPinned(k *verdict.Candidate, w *effects.Effect) bool {
	why, at := c.x.Pinned(w)
	return why != "" && k.Says(pinned, at, why)
}

// isShortLived reports whether the function removes the file again when it
// returns, or the directory that it stands in: a scratch file that nobody else
// may rely on.
func isShortLived(root *effects.Func, w *effects.Effect) bool {
	for _, e := range root.OfKind(effects.Remove) {
		if e.When == effects.Deferred && (memory.SameFile(e.Path, w.Path) || w.Path.Under(e.Path)) {
			return true
		}
	}
	return false
}

// hasOwnLock reports whether the file is emptied under its own lock, which is kept
// when the function returns: what it holds tells who has the lock, and a crash
// releases that too.
func hasOwnLock(root *effects.Func, w *effects.Effect) bool {
	return !w.ReturnsHandle && root.Outlives(w.Handle) && slices.ContainsFunc(root.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return root.LockOf(l, w.Handle) && effects.Before(l, w)
	})
}

// primitive reports whether the function that writes is the WriteFile method of
// one of the file systems behind an interface of the package: whoever calls it
// knows what it writes, and under which name.
func (c *checker) primitive(w *effects.Effect) bool {
	return w.Whole && w.Foreign == "" && w.In.Name() == "WriteFile" && behindInterface(c.p, w.In)
}

// behindInterface reports whether fn is the method of a type for which an
// interface of the package, with that method, stands in.
func behindInterface(p *failure.Package, fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil {
		return false
	}
	scope := p.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !types.IsInterface(tn.Type()) {
			continue
		}
		iface := tn.Type().Underlying().(*types.Interface)
		has := slices.ContainsFunc(slices.Collect(iface.Methods()), func(m *types.Func) bool { return m.Name() == fn.Name() })
		if has && types.Implements(recv.Type(), iface) {
			return true
		}
	}
	return false
}

// isHanded reports whether the function was given the open file that it empties: whoever
// opened it knows which that is.
func isHanded(e *effects.Effect) bool {
	return e.Kind == effects.Truncate && e.Handle != nil && e.Handle.File().Kind == pathexpr.Param
}

// written reports whether content is written after the truncation: os.Create
// and Close alone make a marker whose existence is all that counts. What is locked, and then
// handed on, is there for the lock. Where root gets no handle of the function that opens the file, that
// one shows it: root may open the same file again.
func (c *checker) written(root *effects.Func, w *effects.Effect) bool {
	if w.Whole || w.Handle == nil {
		return w.Whole || w.Kind == effects.Truncate
	}
	if w.CalleeEffect != nil && w.CalleeEffect.At != nil && !returnsFile(w.CalleeEffect.At.Parent()) {
		if f := c.p.Of(w.CalleeEffect.At.Parent()); f != nil {
			return c.written(f, w.CalleeEffect)
		}
	}
	handed, locked := false, false
	for _, e := range root.Effects {
		switch {
		case e.Kind == effects.Write && e.On(w.Handle), e.Kind == effects.Invoke && hands(e, w.Handle):
			return true
		case e.Kind == effects.Escape && e.On(w.Handle):
			handed = true
		case e.Kind == effects.Lock && root.LockOf(e, w.Handle):
			locked = true
		}
	}
	return handed && !locked
}

// returnsFile reports whether a function returns what can be closed, such as a file.
func returnsFile(fn *ssa.Function) bool {
	for res := range fn.Signature.Results().Variables() {
		if obj, _, _ := types.LookupFieldOrMethod(res.Type(), true, nil, "Close"); obj != nil {
			return true
		}
	}
	return false
}

// hands reports whether a function that the function was given gets a handle.
func hands(e *effects.Effect, handle *pathexpr.Term) bool {
	return slices.ContainsFunc(e.Args, func(a *pathexpr.Term) bool { return a != nil && a.File().Equal(handle.File()) })
}

// isRepositioned reports whether a handle that was opened without truncation is
// moved, cut or read, or the file looked at before by the function that opens it: then it is
// edited in place on purpose. Where all that the file is to hold is written from its beginning, to have
// read it before or to have a lock on it makes no difference.
func isRepositioned(root *effects.Func, w *effects.Effect) bool {
	whole := writesAll(root, w)
	for _, e := range root.Effects {
		if e.Kind == effects.Stat && memory.SameFile(e.Path, w.Path) && e.In == w.In && !whole {
			return true
		}
		if e == w || !e.On(w.Handle) {
			continue
		}
		switch e.Kind {
		case effects.TruncateTo, effects.Truncate, effects.Escape:
			return true
		case effects.Seek:
			if !whole || !toStart(e) {
				return true
			}
		case effects.Read, effects.Decode, effects.Lock:
			if !whole {
				return true
			}
		}
	}
	return false
}

// writesAll reports whether what is written through the handle that w opens is all that the file is to
// hold: what encoders make, which have no parts of a fixed size, or one content that is synced.
func writesAll(root *effects.Func, w *effects.Effect) bool {
	var writes []*effects.Effect
	for _, e := range root.OfKind(effects.Write) {
		if e.On(w.Handle) {
			writes = append(writes, e)
		}
	}
	switch {
	case slices.ContainsFunc(writes, func(e *effects.Effect) bool { return e.Whole }): // at an offset
		return false
	case len(writes) == 1 && !writes[0].InLoop() && slices.ContainsFunc(root.OfKind(effects.Sync), func(e *effects.Effect) bool { return e.On(w.Handle) && effects.Reaches(writes[0], e) }):
		return true
	}
	return len(writes) > 0 && !slices.ContainsFunc(writes, func(e *effects.Effect) bool {
		codec := memory.Encoder(e.Data)
		return codec == "" || codec == "binary"
	})
}

// toStart reports whether a handle is moved to the beginning of its file.
func toStart(seek *effects.Effect) bool {
	call, ok := seek.Innermost().At.(ssa.CallInstruction)
	if !ok {
		return false
	}
	args := memory.CallArgs(call.Common())
	return len(args) == 3 && !slices.ContainsFunc(args[1:], func(v ssa.Value) bool {
		c, ok := v.(*ssa.Const)
		return !ok || c.Int64() != 0
	})
}

// tearing is the schedule in which a reader, if there can be one, or a crash
// meets the empty file.
func (c *checker) tearing(root *effects.Func, w *effects.Effect, read bool) []finding.Step {
	steps := []finding.Step{
		{Actor: "process A", Pos: w.Pos, Does: "opens " + w.Path.Named("a file") + " and truncates it", File: "nothing"},
	}
	if keepsContent(w) {
		steps[0] = finding.Step{
			Actor: "process A",
			Pos:   w.Pos,
			Does:  "opens " + w.Path.Named("a file") + " and writes over its beginning",
			File:  "new bytes, then the old tail",
		}
	}
	if read {
		steps = append(steps, c.reading(root, w, "reads it and gets no data or a part of it"))
	}
	return append(steps, finding.Step{
		Actor: "process A",
		Does:  "is killed, or the disk is full, before the new content is complete",
		File:  "a part of the new content, or nothing",
		Acts:  []finding.Act{finding.DiskFull, finding.Killed, finding.LosesPower},
	})
}

// reading is the step of a reader in between.
func (c *checker) reading(root *effects.Func, w *effects.Effect, does string) finding.Step {
	step := finding.Step{Actor: "process B", Does: does, Acts: []finding.Act{finding.Reads}}
	if r := c.x.Reader(root, w.Path); r != nil {
		step.Pos = r.Pos
	}
	return step
}

// readBefore reports whether a function can have read the file that it writes.
func readBefore(f *effects.Func, w *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Read), func(e *effects.Effect) bool {
		return e.Path != nil && memory.SameFile(e.Path, w.Path) && e.At != nil && w.At != nil &&
			(effects.Before(e, w) || e.At != w.At && f.Reaches(e.At, w.At))
	})
}

// keepInPlace takes the end state from a finding of a write in place if somebody would
// notice, in any context of the write, that the file is replaced.
func (c *checker) keepInPlace(f *finding.Finding, cands []*candidate) {
	if f.Remedy == nil && f.Elsewhere == "" {
		return
	}
	if r, ok := f.Remedy.(finding.ReplaceCall); ok {
		r.Edited = slices.ContainsFunc(cands, func(k *candidate) bool { return readBefore(k.root, k.write) })
		r.Home = slices.ContainsFunc(cands, func(k *candidate) bool { return pathexpr.InHome(k.write.Path) })
		f.Remedy = r
	}
	for _, k := range cands {
		listed := c.listed(k.write)
		if reason := c.noticed(k.write); reason != "" || listed != "" && f.Remedy == nil {
			f.Remedy, f.Elsewhere, f.NoFix = nil, "", cmp.Or(reason, listed)
			return
		}
		f.Doubt = cmp.Or(f.Doubt, listed)
		if e := goneFirst(k.root, k.write); e != nil {
			f.Remedy, f.Elsewhere, f.NoFix = nil, "", memory.FuncName(e.In)+
				" removes or renames the file first, or renames another over it, at "+finding.At(c.p.Pass.Fset, e.Pos)+
				": let one call of safeio.WriteFile replace it"
			return
		}
		for _, e := range c.x.LeftOpen(k.root, k.write, k.write.Path) {
			f.Doubt = cmp.Or(f.Doubt, memory.FuncName(e.In)+" leaves the file open, and Windows replaces no file "+
				"that is open: close it there first")
		}
	}
}

// goneFirst is where the function of w takes the file away before: it removes it, gives it another name,
// or puts another one there. It is nil where the function does nothing of that.
func goneFirst(root *effects.Func, w *effects.Effect) *effects.Effect {
	for _, e := range root.OfKind(effects.Remove, effects.Rename) {
		switch {
		case e.In != w.In:
		case e.Kind == effects.Rename && e.Pos < w.Pos && memory.SameFile(e.Target, w.Path):
			return e
		case !memory.SameFile(e.Path, w.Path):
		case effects.Before(e, w),
			e.Kind == effects.Rename && e.When == effects.Inline && w.When == effects.Inline && root.Reaches(e.At, w.At) &&
				!root.Reaches(w.At, e.At):
			return e
		}
	}
	return nil
}

// listed says who in the package would meet the temporary file of a replacement in the directory of w; empty for nobody.
func (c *checker) listed(w *effects.Effect) string {
	e := c.x.Lister(w)
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s lists the directory at %s and would meet temporary files there: "+
		"have it skip hidden names that end with .tmp", memory.FuncName(e.In), finding.At(c.p.Pass.Fset, e.Pos))
}

// noticed says who in the package would notice that a file is replaced and not
// written in place; empty for nobody.
func (c *checker) noticed(w *effects.Effect) string {
	if e := c.x.Holder(w, w.Path); e != nil {
		return memory.FuncName(e.In) + " keeps it open, and what is written through that handle would go to the file that was replaced"
	}
	if why, _ := c.x.Pinned(w); why != "" {
		return "where it is " + w.Path.Named(
			"another file",
		) + ", it is mounted in containers, which would go on with the file that was replaced"
	}
	return ""
}

// remedy is the end state for a write in place.
func remedy(root *effects.Func, w *effects.Effect) (finding.Remedy, string) {
	_, saves := known.SaverOf(w.Foreign)
	body := effects.BodyOf(w.In)
	switch {
	case saves && w.Call != nil && body != nil:
		return finding.ReplaceSaver{Body: body, Call: w.Call}, ""
	case w.Foreign != "":
		reason := "the write stands in another package, in " + pathexpr.ShortName(w.Foreign) + "()"
		if instead := known.Advice(w.Foreign); instead != "" {
			reason += ": " + instead
		}
		return nil, reason
	case w.Call == nil:
		return nil, "the call is not written out here"
	case w.ByHelper():
		return nil, "a helper opens the file, with the flags that it is given"
	case w.Whole:
		return finding.ReplaceCall{Call: w.Call}, ""
	}
	if opens(w) && body != nil {
		return finding.PublishHandle{Body: body, Open: w.Call, Overwrites: keepsContent(w)}, ""
	}
	for _, e := range root.OfKind(effects.Open, effects.OpenOrCreate) {
		if body != nil && e.In == w.In && e.Call != nil && e.Pos < w.Pos && memory.SameFile(e.Path, w.Path) {
			return finding.PublishHandle{Body: body, Open: e.Call, Overwrites: true, Empties: w.Call}, ""
		}
	}
	return nil, "it is emptied through a handle that was opened elsewhere, or to read it: have safeio.WriteFile save it, and close the handle before"
}

// opens reports whether the call that truncates is also the one that opens.
func opens(w *effects.Effect) bool {
	return w.Kind == effects.Open || w.ReturnsHandle
}

// keepsContent reports whether a file is opened to be written and keeps what it holds.
func keepsContent(w *effects.Effect) bool {
	return w.Kind == effects.Open || w.Kind == effects.OpenOrCreate
}

// byWriter has the end state of a write in place be that another function of the package makes it, which
// replaces the same file already.
func (c *checker) byWriter(f *finding.Finding, w *effects.Effect) {
	writer, at := c.x.Publisher(w, w.Path)
	if writer == nil {
		return
	}
	f.Evidence = append(f.Evidence, finding.Evidence{Pos: at.Pos, Text: writer.Name() + " replaces it as a whole"})
	switch r := f.Remedy.(type) {
	case finding.ReplaceCall:
		r.Writer = writer.Name()
		for fn := range replacers.Own(c.p.Package) {
			if fn == at.In.Object() && replacers.TakesMode(fn) {
				r.By = fn
			}
		}
		f.Remedy = r
	case finding.PublishHandle:
		f.Remedy, f.Elsewhere, f.NoFix = nil, "", writer.Name()+" replaces this file already: have it write this, too"
	}
}
