package tornappend

import (
	"fmt"
	"path"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// judge makes the finding of a record in pieces, nil where nothing speaks for
// state.
func (c *checker) judge(k *candidate, o *opening, variant string) *finding.Finding {
	first := k.pieces[0]
	w := *o.open
	if !o.local {
		w.In, w.Handle = first.In, first.Handle.File()
	}
	look := c.at(first).Is(variant)
	if o.path.Named("") == "" && look.Says(callersKnow, first.Pos, "no part of its path is known") {
		return nil
	}
	v, ev := c.x.Judge(look, k.root, &w, o.path, evidence.WriteContext{})
	if !v.State {
		if v.Against() != "" || !encodedLine(k.pieces) ||
			rootless(o.path) && look.Says(callersKnow, first.Pos, "its path is "+o.path.String()) ||
			!look.Says(encodedRecord, first.Pos, "an encoder's output and a newline are written") {
			return nil
		}
		k.weak = true
		ev = append(ev, finding.Evidence{Pos: first.Pos, Text: "each of its lines is an encoded record"})
	}
	f := &finding.Finding{
		Check: Name, Variant: variant, Pos: first.Pos, End: first.Call.End(), Func: memory.FuncName(first.In),
		Evidence: append(ev, finding.Evidence{Pos: o.open.Pos, Text: "it is opened to append to what others have appended"}),
	}
	f.Sentence = sentence(f.Func, o.path.Named("its file"), variant, first)
	f.Schedule = c.schedule(k, o, variant)
	f.NoFix = noFix(first, variant)
	return f
}

// encodedLine reports whether what is appended is the output of an encoder and a
// newline behind it: whoever reads such a file decodes it line by line.
func encodedLine(pieces []*effects.Effect) bool {
	return len(pieces) == 2 && pieces[0].Data.Has(pathexpr.Encoded) && pieces[1].Line == memory.LineBreak
}

// rootless reports whether a path is a constant relative to wherever the program is
// started: a tool that is run by hand.
func rootless(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Const && !path.IsAbs(t.Text)
}

func sentence(fn, path, variant string, first *effects.Effect) string {
	switch variant {
	case "buffered":
		return fmt.Sprintf("%s appends to %s through a %s writer, which writes when its buffer is full and not where "+
			"a record ends: another process appends in between", fn, path, memory.Buffer(first.Handle))
	case "separator":
		return fmt.Sprintf("%s appends a record to %s and ends it by another write: another process appends in "+
			"between, and two records share a line", fn, path)
	}
	return fmt.Sprintf(
		"%s appends one line to %s piece by piece: another process appends in between, and a crash leaves half of it",
		fn,
		path,
	)
}

func (c *checker) schedule(k *candidate, o *opening, variant string) []finding.Step {
	first, last, path := k.pieces[0], k.pieces[len(k.pieces)-1], o.path.Named("its file")
	steps := []finding.Step{
		{Actor: "process A", Pos: first.Pos, Does: "writes the beginning of its record", File: "a line without an end"},
		{Actor: "process B", Pos: first.Pos, Does: "appends its own record to " + path, File: "A's beginning and B's record on one line",
			Acts: []finding.Act{finding.Appends}},
		{Actor: "process A", Pos: last.Pos, Does: "writes the rest of its record, behind that of B; or is killed before"},
	}
	if variant == "buffered" {
		steps[0].Does = "writes a record that its buffer has no room for; the buffer is written, with a part of the record"
		steps[2].Does = "writes the rest when it flushes, behind the record of B; or is killed before"
	}
	read := finding.Step{Actor: "process C", Does: "reads the line and finds no record in it: both are lost"}
	if r := c.x.Reader(k.root, o.path); r != nil {
		read.Pos = r.Pos
	}
	return append(steps, read)
}

// noFix says what has to be done about a record in pieces.
func noFix(first *effects.Effect, variant string) string {
	if variant == "buffered" {
		return "what the " + memory.Buffer(first.Handle) + " writer writes has to be collected first, and written at once"
	}
	return "the pieces have to become one write, with one answer to its error: put the record together first, or hand it to safeio.Append"
}
