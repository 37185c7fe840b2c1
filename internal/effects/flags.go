package effects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// openFile reads the flags of os.OpenFile, or leaves it to those who give them.
func (w *walker) openFile(path *pathexpr.Term, asked ssa.Value, i ssa.Instruction, add func(*Effect)) {
	flags := w.p.Term(asked)
	e := &Effect{Path: path, Handle: w.result(i, path), Opens: true}
	if flags.Kind == pathexpr.Param {
		e.Kind, e.Data, e.how = opening, flags, known.OpenFile
		add(e)
	} else if w.p.opens(e, w.p.bits.Ask(asked)) {
		add(e)
	}
}

// ByHelper reports whether a helper opens the file, with the flags that it is given.
func (e *Effect) ByHelper() bool { return e.how == known.OpenFile && e.Kind != opening }
