package unflushed

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// sync judges one sync of a file: the buffered writer in front of it is flushed
// afterwards, and then the file is done with.
func (c *checker) sync(f *effects.Func, s *effects.Effect) *finding.Finding {
	for _, flush := range f.Effects {
		if !flushes(flush) || flush.Handle == nil || flush.Call == nil || !effects.Follows(s, flush) || !c.inFront(flush.Handle, s.Handle) {
			continue
		}
		end := c.done(f, s, flush)
		if end == nil || c.emptied(c.x.Candidate(Name, s), f, s, flush) {
			continue
		}
		fd := about(s)
		fd.Variant = "sync"
		w, file := writer(flush), s.Handle.Named("its file")
		fd.Sentence = fmt.Sprintf("%s syncs %s before %s is flushed: after a power cut the file lacks what was in the buffer", fd.Func, file, w)
		fd.Claim = "is meant to survive a power cut"
		fd.Evidence = []finding.Evidence{
			{Pos: s.Pos, Text: fd.Func + " syncs it"},
			{Pos: end.Pos, Text: fd.Func + " is done with it then"},
		}
		fd.Schedule = []finding.Step{
			{Actor: "the program", Pos: s.Pos, Does: "syncs " + file, Memory: "the rest, in a buffer", File: "what was flushed before"},
			{Actor: "the program", Pos: flush.Pos, Does: "writes the buffer of " + w, Memory: "an empty buffer", File: "all of it, and not yet on the disk"},
			{Actor: "the machine", Pos: end.Pos, Does: "loses power after the file is closed", File: "what was synced, without its end"},
		}
		fd.NoFix = "the flush has to come before the sync, with what is done about its error, which only its author can say"
		return fd
	}
	return nil
}

// writer is the buffered writer, as a reader would write it.
func writer(flush *effects.Effect) string {
	if flush.Handle.Kind == pathexpr.Wrap {
		return "the " + flush.Handle.Text + " writer"
	}
	return flush.Handle.String()
}

// inFront reports whether w is a buffered writer in front of the handle h.
func (c *checker) inFront(w, h *pathexpr.Term) bool {
	if h == nil || w.Equal(h) {
		return false
	}
	if under := beneath(c.p, w); under != nil {
		return under.Equal(h.File())
	}
	return w.Kind == pathexpr.Wrap && w.File().Equal(h.File()) && w.File().Kind != pathexpr.Unknown
}

// done is where the file is closed, or moved to its place, behind the flush; nil
// where it is not, or is synced again.
func (c *checker) done(f *effects.Func, s, flush *effects.Effect) *effects.Effect {
	var end, again, given *effects.Effect
	for _, e := range f.Effects {
		if !effects.Reaches(flush, e) {
			continue
		}
		switch {
		case e.Kind == effects.Sync && e.On(s.Handle):
			if surely(f, flush, e) {
				again = e
			}
		case e.Kind == effects.Escape && e.On(s.Handle):
			given = e
		case end != nil:
		case e.Kind == effects.Close && e.On(s.Handle) && e.Handle.Kind != pathexpr.Wrap,
			(e.Kind == effects.Rename || e.Kind == effects.Link) && memory.SameFile(e.Path, s.Path):
			end = e
		}
	}
	if end == nil {
		return nil
	}
	look := c.x.Candidate(Name, s)
	if !look.Says(doneWith, end.Pos, "the file is done with") ||
		again != nil && look.Says(syncedAgain, again.Pos, "it is synced again") ||
		given != nil && look.Says(handedOn, given.Pos, "code that cannot be seen has the file") {
		return nil
	}
	return end
}

// emptied reports whether nothing is left in the buffer when the file is synced:
// it is flushed before, too, or nothing was written to a writer of this function.
func (c *checker) emptied(look *verdict.Candidate, f *effects.Func, s, flush *effects.Effect) bool {
	var writes, early []*effects.Effect
	for _, e := range f.Effects {
		switch {
		case !effects.Reaches(e, s):
		case e != flush && flushes(e) && e.Handle.Equal(flush.Handle):
			early = append(early, e)
		case e.Kind == effects.Write && through(e, flush.Handle):
			writes = append(writes, e)
		}
	}
	written := len(writes) > 0 || flush.Handle.Kind == pathexpr.Field
	flushed := drained(f, writes, early, s)
	return flushed != nil && look.Says(flushedBefore, flushed.Pos, "it is flushed before, too") ||
		!written && look.Says(nothingWritten, s.Pos, "nothing is written to it yet")
}
