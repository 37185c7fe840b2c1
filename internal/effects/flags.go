package effects

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// openFlags are the values of os.O_* for the platform under analysis.
type openFlags struct {
	wronly, rdwr, append, create, excl, sync, trunc int64
}

func newOpenFlags(pkg *types.Package) openFlags {
	value := func(names ...string) int64 {
		for _, imp := range pkg.Imports() {
			switch imp.Path() {
			case "os", "syscall", "golang.org/x/sys/unix":
			default:
				continue
			}
			for _, name := range names {
				if c, ok := imp.Scope().Lookup(name).(*types.Const); ok {
					v, _ := constant.Int64Val(constant.ToInt(c.Val()))
					return v
				}
			}
		}
		return 0
	}
	return openFlags{
		wronly: value("O_WRONLY"), rdwr: value("O_RDWR"), append: value("O_APPEND"), create: value("O_CREATE", "O_CREAT"),
		excl: value("O_EXCL"), sync: value("O_SYNC"), trunc: value("O_TRUNC"),
	}
}

// bits are the flags that a value has on some path and on every path; known is
// false when a part of it cannot be seen.
type bits struct {
	may, must int64
	known     bool
}

// either unites two values of which one is taken.
func (b bits) either(o bits) bits {
	return bits{b.may | o.may, b.must & o.must, b.known && o.known}
}

// constantBits are those of a term that is a number.
func constantBits(t *pathexpr.Term) (b bits, ok bool) {
	if t == nil || t.Kind != pathexpr.Const {
		return bits{}, false
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	return bits{n, n, true}, err == nil
}

// flagBits follows a flag value through variables, branches and operators.
func flagBits(v ssa.Value, depth int) bits {
	if depth == 0 {
		return bits{}
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return bits{known: true}
		}
		n, ok := constant.Int64Val(constant.ToInt(v.Value))
		return bits{n, n, ok}
	case *ssa.BinOp:
		x, y := flagBits(v.X, depth-1), flagBits(v.Y, depth-1)
		switch v.Op {
		case token.OR, token.ADD, token.XOR:
			return bits{x.may | y.may, x.must | y.must, x.known && y.known}
		case token.AND_NOT:
			return bits{x.may &^ y.must, x.must &^ y.may, x.known && y.known}
		}
	case *ssa.Phi:
		r := flagBits(v.Edges[0], depth-1)
		for _, e := range v.Edges[1:] {
			r = r.either(flagBits(e, depth-1))
		}
		return r
	case *ssa.Convert:
		return flagBits(v.X, depth-1)
	case *ssa.UnOp:
		return loadedBits(v, depth)
	}
	return bits{}
}

// FlagsOf are the flags that a value may have, and whether those are all.
func FlagsOf(v ssa.Value) (may int64, known bool) {
	b := flagBits(v, 8)
	return b.may, b.known
}

// loadedBits unites what is stored into a variable that could not be lifted.
func loadedBits(v *ssa.UnOp, depth int) bits {
	alloc, ok := v.X.(*ssa.Alloc)
	if !ok || v.Op != token.MUL {
		return bits{}
	}
	r := bits{must: -1, known: true}
	for _, ref := range flow.Uses(alloc) {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == alloc {
			r = r.either(flagBits(s.Val, depth-1))
		}
	}
	return r
}

// openFile reads the flags of os.OpenFile, or leaves it to those who give them.
func (w *walker) openFile(args []ssa.Value, i ssa.Instruction, add func(*Effect)) {
	if len(args) < 2 {
		return
	}
	path, flags := w.p.Term(args[0]), w.p.Term(args[1])
	e := &Effect{Path: path, Handle: w.result(i, path), Opens: true}
	if flags.Kind == pathexpr.Param {
		e.Kind, e.Data, e.how = opening, flags, known.OpenFile
		add(e)
	} else if w.p.opens(e, flagBits(args[1], 8)) {
		add(e)
	}
}

// opens says what it does to a file to open it with these flags, and reports whether
// that is anything.
func (p *Package) opens(e *Effect, b bits) bool {
	fl := p.flags
	e.Makes, e.Synced = b.must&fl.create != 0, b.may&fl.sync != 0 && fl.sync != 0
	switch {
	case b.must&fl.excl != 0:
		e.Kind = CreateExclusive
	case b.may&fl.trunc != 0:
		e.Kind = Truncate
	case b.may&fl.append != 0:
		e.Kind = Append
	case !b.known:
		return false
	case b.may&fl.wronly != 0 && b.may&fl.create != 0:
		e.Kind = Open
	case b.may&(fl.wronly|fl.rdwr) == 0:
		e.Kind = Read
	case e.Makes:
		e.Kind = Make
	default:
		return false
	}
	return true
}

// opened says how the callers of a helper have it open a file. It is they who do
// what the flags say.
func (p *Package) opened(e *Effect) {
	if how, ok := constantBits(e.Data); ok && p.opens(e, how) {
		e.Data, e.Opens, e.In, e.Via = nil, false, nil, nil
	}
}

// ByHelper reports whether a helper opens the file, with the flags that it is given.
func (e *Effect) ByHelper() bool { return e.how == known.OpenFile && e.Kind != opening }
