package effects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// lock is a call that takes a lock, or that does with it what an argument says;
// nil for a call that does neither.
func (w *walker) lock(row known.Row, i ssa.Instruction, args []ssa.Value) *Effect {
	if !row.Op.Locks() {
		return nil
	}
	a := w.p.Term(args[row.A])
	e := &Effect{Action: Action{Kind: Lock, Handle: a, Try: row.Op.Tries(), Shared: row.Op.Shares()}}
	if row.Op.Beside() {
		e.Handle = w.result(i, a)
	}
	var how ssa.Value
	switch row.Op {
	case known.Flock, known.LockFileEx:
		how = args[row.B]
	case known.Fcntl:
		cmd := w.p.bits.Ask(args[row.B])
		if cmd.is(w.p.records.ask) || cmd.is(w.p.records.askOpenFile) {
			return nil
		}
		e.POSIXLock = cmd.known && cmd.may < firstOpenFile
		how = w.p.recordType(args[row.B+1], i)
	}
	if how != nil {
		e.How, e.Data = row.Op, w.p.Term(how)
		w.p.does(e, w.p.bits.Ask(how))
	}
	return e
}

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
