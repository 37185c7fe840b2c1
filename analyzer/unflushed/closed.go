package unflushed

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// closed judges one close of a file: the buffered writer in front of it is
// flushed afterwards, into nothing.
func (c *checker) closed(f *effects.Func, e *effects.Effect) *finding.Finding {
	if e.Handle == nil || e.Handle.Kind == pathexpr.Wrap {
		return nil
	}
	for _, flush := range f.Effects {
		if !flushes(flush) || flush.Handle == nil || flush.Call == nil || flush.Handle.Kind != pathexpr.Wrap || inOneCall(e, flush) {
			continue
		}
		if !effects.Follows(e, flush) || !c.inFront(flush.Handle, e.Handle) {
			continue
		}
		given := escape(f, flush.Handle)
		if look := c.at(f, e); !look.Says(intoNothing, flush.Pos, "it is flushed into a closed file") || c.emptied(look, f, e, flush) || given != nil && look.Says(handedOn, given.Pos, "code that cannot be seen has the writer") {
			continue
		}
		fd := about(e)
		if at := e.Here(); at != nil {
			fd.Pos, fd.End, fd.Func = at.Pos(), at.End(), f.Name()
		}
		fd.Variant = "closed"
		w, file := writer(flush), e.Handle.Named("its file")
		fd.Sentence = fmt.Sprintf("%s closes %s before %s is flushed: what is in the buffer never reaches the file", fd.Func, file, w)
		fd.Claim = "is written through a buffer"
		fd.Evidence = []finding.Evidence{{Pos: flush.Pos, Text: fd.Func + " flushes it, too late"}}
		fd.Schedule = []finding.Step{
			{Actor: "the program", Pos: e.Pos, Does: "closes " + file, Memory: "the rest, in a buffer", File: "what the buffer had no room for"},
			{Actor: "the program", Pos: flush.Pos, Does: "flushes the buffer into a closed file, which fails", File: "the same, without its end"},
		}
		fd.NoFix = "the two have to change places, with what is done about their errors"
		return fd
	}
	return nil
}

// escape is where code that cannot be seen gets the writer, and may flush it; nil for nowhere.
func escape(f *effects.Func, w *pathexpr.Term) *effects.Effect {
	return first(f.OfKind(effects.Escape), func(e *effects.Effect) bool { return e.Handle != nil && e.Handle.Equal(w) })
}
