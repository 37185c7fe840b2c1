package effects

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

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

// recordFlags are the values of F_* for the platform under analysis, -1 where it
// has none.
type recordFlags struct {
	read, unlock, ask, askOpenFile int64
}

func newRecordFlags(pkg *types.Package) recordFlags {
	value := func(name string) int64 {
		for _, imp := range pkg.Imports() {
			if imp.Path() != "syscall" && imp.Path() != "golang.org/x/sys/unix" {
				continue
			}
			if c, ok := imp.Scope().Lookup(name).(*types.Const); ok {
				n, _ := constant.Int64Val(constant.ToInt(c.Val()))
				return n
			}
		}
		return -1
	}
	return recordFlags{value("F_RDLCK"), value("F_UNLCK"), value("F_GETLK"), value("F_OFD_GETLK")}
}

// lock is a call that takes a lock, or that does with it what an argument says;
// nil for a call that does neither.
func (w *walker) lock(row known.Row, i ssa.Instruction, args []ssa.Value) *Effect {
	if !row.Op.Locks() {
		return nil
	}
	a := w.p.Term(args[row.A])
	e := &Effect{Kind: Lock, Handle: a, Try: row.Op.Tries(), Shared: row.Op.Shares()}
	if row.Op.Beside() {
		e.Handle = w.result(i, a)
	}
	var how ssa.Value
	switch row.Op {
	case known.Flock, known.LockFileEx:
		how = args[row.B]
	case known.Fcntl:
		cmd := flagBits(args[row.B], 8)
		if cmd.is(w.p.records.ask) || cmd.is(w.p.records.askOpenFile) {
			return nil
		}
		e.Record = cmd.known && cmd.may < firstOpenFile
		how = w.p.recordType(args[row.B+1], i)
	}
	if how != nil {
		e.how, e.Data = row.Op, w.p.Term(how)
		w.p.does(e, flagBits(how, 8))
	}
	return e
}

// settle says what a lock's system call does whose caller has told it.
func (p *Package) settle(e *Effect) {
	if how, ok := constantBits(e.Data); ok && e.how != known.None {
		p.does(e, how)
	}
}

// does says what a lock's system call does that is asked for how.
func (p *Package) does(e *Effect, how bits) {
	switch e.how {
	case known.Flock:
		e.Shared = how.may&lockShared != 0
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

// is reports whether the bits are those of n and no others.
func (b bits) is(n int64) bool { return b.known && b.may == n && b.must == n }

// recordType is the type of the lock that a record asks for when an instruction
// passes it on: the value that was stored last, nil where that is not known.
func (p *Package) recordType(record ssa.Value, at ssa.Instruction) ssa.Value {
	var last *ssa.Store
	for _, st := range typeStores(record) {
		_, deferred := at.(*ssa.Defer)
		switch {
		case !p.Flow.Reaches(st, at) && !deferred: // it comes too late
		case !p.Flow.Dominates(st, at):
			return nil
		case last == nil || p.Flow.Dominates(last, st):
			last = st
		}
	}
	if last == nil || last.Addr != record {
		return valueOf(last)
	}
	if from := memory.LoadedFrom(last.Val); from != nil {
		return p.recordType(from, last)
	}
	return nil
}

func valueOf(st *ssa.Store) ssa.Value {
	if st == nil {
		return nil
	}
	return st.Val
}

// typeStores are the stores into a record, or into its field Type.
func typeStores(record ssa.Value) []*ssa.Store {
	var list []*ssa.Store
	into := func(addr ssa.Value) {
		for _, ref := range flow.Uses(addr) {
			if st, ok := ref.(*ssa.Store); ok && st.Addr == addr {
				list = append(list, st)
			}
		}
	}
	if _, ok := record.(*ssa.Const); ok {
		return nil
	}
	into(record)
	for _, ref := range flow.Uses(record) {
		if fa, ok := ref.(*ssa.FieldAddr); ok && memory.StructOf(fa.X.Type()).Field(fa.Field).Name() == "Type" {
			into(fa)
		}
	}
	return list
}
