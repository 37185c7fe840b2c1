package tornappend

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/state"
)

// judge makes the finding of a record in pieces, nil where nothing speaks for
// state.
func (c *checker) judge(k *candidate) *finding.Finding {
	first, last, path := k.pieces[0], k.pieces[len(k.pieces)-1], k.open.Path.Path()
	if path.Named("") == "" && k.look.Says(state.NoPath, first.Pos, "no part of its path is known") {
		return nil
	}
	v := c.x.Judge(k.look.Is(k.variant), k.root, k.open, path, state.WriteContext{})
	if !v.State {
		return nil
	}
	f := &finding.Finding{
		Check: Name, Variant: k.variant, Pos: first.Pos, End: first.Call.End(), Func: memory.FuncName(first.In),
		Evidence: append(v.Evidence, finding.Evidence{Pos: k.open.Pos, Text: "it is opened to append to what others have appended"}),
	}
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: first.Pos, Does: "writes the beginning of its record", File: "a line without an end"},
		{Actor: "process B", Pos: first.Pos, Does: "appends its own record to " + path.Named("its file"),
			File: "A's beginning and B's record on one line", Acts: []finding.Act{finding.Appends}},
		{Actor: "process A", Pos: last.Pos, Does: "writes the rest of its record, behind that of B; or is killed before"},
		{Actor: "process C", Does: "reads the line and finds no record in it: both are lost"},
	}
	if k.variant == "buffered" {
		buffer := memory.Buffer(first.Handle)
		f.Sentence = fmt.Sprintf("%s appends to %s through a %s writer, which writes when its buffer is full and not where "+
			"a record ends: another process appends in between", f.Func, path.Named("its file"), buffer)
		f.Schedule[0].Does = "writes a record that its buffer has no room for; the buffer is written, with a part of it"
		f.Schedule[2].Does = "writes the rest when it flushes, behind the record of B; or is killed before"
		f.NoFix = "what the " + buffer + " writer writes has to be collected first, and written at once"
		return f
	}
	f.Sentence = fmt.Sprintf("%s appends one line to %s piece by piece: another process appends in between, and a crash "+
		"leaves half of it", f.Func, path.Named("its file"))
	f.NoFix = "the pieces have to become one write, with one answer to its error: put the record together first, or " +
		"hand it to safeio.Append"
	return f
}
