package effects

import (
	"go/constant"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// constantBits are those of a term that is a number.
func constantBits(t *pathexpr.Term) (b bits, ok bool) {
	if t == nil || t.Kind != pathexpr.Const {
		return bits{}, false
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	return bits{n, n, true}, err == nil
}

// makeBits follows a flag value through variables, branches and operators.
func (p *Package) makeBits(v ssa.Value) bits {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return bits{known: true}
		}
		n, ok := constant.Int64Val(constant.ToInt(v.Value))
		return bits{n, n, ok}
	case *ssa.BinOp:
		x, y := p.bits.Ask(v.X), p.bits.Ask(v.Y)
		switch v.Op {
		case token.OR, token.ADD, token.XOR:
			return bits{x.may | y.may, x.must | y.must, x.known && y.known}
		case token.AND_NOT:
			return bits{x.may &^ y.must, x.must &^ y.may, x.known && y.known}
		}
	case *ssa.Phi:
		r := noBits
		for _, e := range v.Edges {
			r = r.either(p.bits.Ask(e))
		}
		return r
	case *ssa.Convert:
		return p.bits.Ask(v.X)
	case *ssa.UnOp:
		return p.loadedBits(v)
	}
	return bits{}
}

// loadedBits unites what is stored into a variable that could not be lifted.
func (p *Package) loadedBits(v *ssa.UnOp) bits {
	alloc, ok := v.X.(*ssa.Alloc)
	if !ok || v.Op != token.MUL {
		return bits{}
	}
	r := noBits
	for _, ref := range flow.Uses(alloc) {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == alloc {
			r = r.either(p.bits.Ask(s.Val))
		}
	}
	return r
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
		e.Kind = OpenOrCreate
	default:
		return false
	}
	return true
}

// opened says how the callers of a helper have it open a file. It is they who do
// what the flags say.
func (p *Package) opened(e *Effect) {
	how, ok := constantBits(e.Flags)
	if !ok {
		return
	}
	if !p.opens(e, how) {
		e.Kind = opening
		return
	}
	e.Flags, e.ReturnsHandle, e.In, e.Via = nil, false, nil, nil
}

// The operations of flock(2) are the same on every system that has it, and so
// are the flags of LockFileEx.
const (
	lockShared    = 1
	lockExclusive = 2
	lockUn        = 8

	fileExclusive = 2
)

// firstOpenFile bounds the commands of fcntl(2) whose locks belong to the
// process; those that belong to the open file are beyond it on every system that
// has them.
const firstOpenFile = 30

// resolveMode says what a lock's system call does whose caller has told it.
func (p *Package) resolveMode(e *Effect) {
	if how, ok := constantBits(e.Data); ok && e.How != known.None {
		p.does(e, how)
	}
}

// does says what a lock's system call does that is asked for how.
func (p *Package) does(e *Effect, how bits) {
	switch e.How {
	case known.Flock:
		e.Shared = how.may&lockShared != 0 && how.may&lockExclusive == 0 // of either, who calls may know
		e.Waits = how.known && (how.may == lockShared || how.may == lockExclusive)
		if how.must&lockUn != 0 {
			e.Kind = Unlock
		}
	case known.LockFileEx:
		e.Shared = how.known && how.may&fileExclusive == 0
	case known.Fcntl:
		e.Shared = how.is(p.records.read)
		if how.is(p.records.unlock) {
			e.Kind = Unlock
		}
	}
}
