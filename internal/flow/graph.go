package flow

import (
	"iter"

	"golang.org/x/tools/go/ssa"
)

// A Program answers questions about the control flow of the functions of one package.
type Program struct {
	*Budget
	// Ends reports whether a call ends the program, so that nothing comes after it. It
	// is asked once for each call; nil stands for none does.
	Ends func(*ssa.Call) bool
	// Name is how the record of what was given up names a function; nil stands for as
	// SSA does.
	Name func(*ssa.Function) string

	graphs map[*ssa.Function]*Graph
}

// NewProgram makes a program that spends the steps of a budget.
func NewProgram(b *Budget) *Program {
	return &Program{Budget: b, graphs: map[*ssa.Function]*Graph{}}
}

// giveUp notes that a question about a function is not answered.
func (p *Program) giveUp(question string, fn *ssa.Function) {
	name := fn.String()
	if p.Name != nil {
		name = p.Name(fn)
	}
	p.GiveUp(question, name, Steps)
}

// A Graph is the control-flow graph of one function.
type Graph struct {
	p     *Program
	fn    *ssa.Function
	index map[ssa.Instruction]int // its place in its block
	ahead []bitset                // by block: the blocks to which control can go from its end
	ends  map[*ssa.BasicBlock]int // the place of the first instruction of a block that ends the program
	rpo   []*ssa.BasicBlock       // see order
	place []int
}

// Graph is that of a function with a body.
func (p *Program) Graph(fn *ssa.Function) *Graph {
	g := p.graphs[fn]
	if g == nil {
		g = &Graph{p: p, fn: fn}
		p.graphs[fn] = g
	}
	return g
}

// Index is the place of an instruction in its block.
func (g *Graph) Index(i ssa.Instruction) int {
	if g.index == nil {
		g.index = map[ssa.Instruction]int{}
		for _, b := range g.fn.Blocks {
			g.p.Spend(len(b.Instrs))
			for n, i := range b.Instrs {
				g.index[i] = n
			}
		}
	}
	return g.index[i]
}

// Reaches reports whether control can go from one instruction to another, or back to the
// same one. Instructions of two functions do not reach each other.
func (p *Program) Reaches(a, b ssa.Instruction) bool {
	if a == nil || b == nil || a.Parent() != b.Parent() {
		return false
	}
	g, from, to := p.Graph(a.Parent()), a.Block(), b.Block()
	return from == to && g.Index(a) < g.Index(b) || g.Reaches(from, to)
}

// Dominates reports whether one instruction is executed before another whenever that is.
func (p *Program) Dominates(a, b ssa.Instruction) bool {
	from, to := a.Block(), b.Block()
	if from != to {
		return from.Dominates(to)
	}
	g := p.Graph(a.Parent())
	return g.Index(a) < g.Index(b)
}

// Reaches reports whether control can go from the end of one block to another, or to the
// same one again.
func (g *Graph) Reaches(from, to *ssa.BasicBlock) bool {
	if g.ahead == nil {
		g.close()
	}
	return g.ahead[from.Index].has(to.Index)
}

// close makes the bit sets of the blocks ahead, component by component: the blocks of a
// loop have one set.
func (g *Graph) close() {
	blocks := g.fn.Blocks
	g.ahead = make([]bitset, len(blocks))
	for comp := range components(blocks, func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }, func(b *ssa.BasicBlock) int { return b.Index }) {
		set := newBits(len(blocks))
		for _, b := range comp {
			g.p.Spend(1 + len(b.Succs))
			for _, s := range b.Succs {
				set.add(s.Index)
				if g.ahead[s.Index] != nil {
					set.union(g.ahead[s.Index])
				}
			}
		}
		for _, b := range comp {
			g.ahead[b.Index] = set
		}
	}
}

// A Step says how a search goes on at an instruction.
type Step uint8

// A search goes on behind an instruction, does not go on from there, or has found what it
// was to find.
const (
	Go Step = iota
	Stop
	Found
)

// A Search is one of the control-flow graph, forward.
type Search struct {
	// At says how it goes on at an instruction that is met; nil stands for on.
	At func(ssa.Instruction) Step
	// Block says the same of a block that is entered.
	Block func(*ssa.BasicBlock) Step
	// Edge reports whether it goes from a block to its n-th successor; nil stands for
	// all are taken.
	Edge func(b *ssa.BasicBlock, n int) bool
	// ToEnd says that it does not go beyond a call that ends the program.
	ToEnd bool
}

// After searches from behind an instruction, and reports whether it found anything.
func (s Search) After(p *Program, i ssa.Instruction) bool {
	g := p.Graph(i.Parent())
	return s.from(g, i.Block(), g.Index(i)+1)
}

// From searches from the beginning of a block.
func (s Search) From(p *Program, b *ssa.BasicBlock) bool {
	if s.Block != nil {
		switch s.Block(b) {
		case Found:
			return true
		case Stop:
			return false
		}
	}
	return s.from(p.Graph(b.Parent()), b, 0)
}

// from takes every edge once. The block that it begins in is entered again by an edge.
func (s Search) from(g *Graph, b *ssa.BasicBlock, n int) bool {
	seen := newBits(len(g.fn.Blocks))
	if n == 0 {
		seen.add(b.Index)
	}
	todo := []*ssa.BasicBlock{}
	for {
		switch s.block(g, b, n) {
		case Found:
			return true
		case Go:
			for i, to := range b.Succs {
				if seen.has(to.Index) || s.Edge != nil && !s.Edge(b, i) {
					continue
				}
				seen.add(to.Index)
				if s.Block != nil {
					switch s.Block(to) {
					case Found:
						return true
					case Stop:
						continue
					}
				}
				todo = append(todo, to)
			}
		}
		if len(todo) == 0 {
			return false
		}
		b, n = todo[0], 0
		todo = todo[1:]
	}
}

// block searches the instructions of a block from the n-th on.
func (s Search) block(g *Graph, b *ssa.BasicBlock, n int) Step {
	end := len(b.Instrs)
	if s.ToEnd {
		end = g.end(b)
	}
	g.p.Spend(1 + len(b.Succs))
	if s.At != nil {
		g.p.Spend(max(end-n, 0))
		for ; n < end; n++ {
			if step := s.At(b.Instrs[n]); step != Go {
				return step
			}
		}
	}
	if end < len(b.Instrs) {
		return Stop
	}
	return Go
}

// end is the place of the first call of a block that ends the program, and the number of
// its instructions where there is none.
func (g *Graph) end(b *ssa.BasicBlock) int {
	if g.p.Ends == nil {
		return len(b.Instrs)
	}
	if n, ok := g.ends[b]; ok {
		return n
	}
	n := 0
	for n < len(b.Instrs) {
		if call, ok := b.Instrs[n].(*ssa.Call); ok && g.p.Ends(call) {
			break
		}
		n++
	}
	if g.ends == nil {
		g.ends = map[*ssa.BasicBlock]int{}
	}
	g.ends[b] = n
	return n
}

// Goes reports whether control can go from one instruction to another without coming to
// a third.
func (p *Program) Goes(a, b, past ssa.Instruction) bool {
	if a == nil || b == nil || a.Parent() != b.Parent() {
		return false
	}
	return Search{At: func(i ssa.Instruction) Step {
		switch i {
		case b:
			return Found
		case past:
			return Stop
		}
		return Go
	}}.After(p, a)
}

// Arms are the blocks to which a branch goes where its condition is true, and where it
// is false.
func Arms(branch *ssa.If) (yes, no *ssa.BasicBlock) {
	succs := branch.Block().Succs
	return succs[0], succs[1]
}

// BranchOf is the branch at the end of a block, nil for any other end.
func BranchOf(b *ssa.BasicBlock) *ssa.If {
	if len(b.Instrs) == 0 {
		return nil
	}
	branch, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return branch
}

// ReturnOf is the return at the end of a block, nil for any other end.
func ReturnOf(b *ssa.BasicBlock) *ssa.Return {
	if len(b.Instrs) == 0 {
		return nil
	}
	ret, _ := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	return ret
}

// Returns yields the returns of a function, in the order of its blocks.
func Returns(fn *ssa.Function) iter.Seq[*ssa.Return] {
	return func(yield func(*ssa.Return) bool) {
		for _, b := range fn.Blocks {
			if r := ReturnOf(b); r != nil && !yield(r) {
				return
			}
		}
	}
}

// Branches yields the branches of a function, in the order of its blocks.
func Branches(fn *ssa.Function) iter.Seq[*ssa.If] {
	return func(yield func(*ssa.If) bool) {
		for _, b := range fn.Blocks {
			if i := BranchOf(b); i != nil && !yield(i) {
				return
			}
		}
	}
}

// Instrs yields the instructions of a function, block by block.
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// EntersBy reports whether a block is entered only by an arm of a branch: where its
// condition is true, or where it is false.
func EntersBy(branch *ssa.If, yes bool, at *ssa.BasicBlock) bool {
	arm, other := Arms(branch)
	if !yes {
		arm = other
	}
	return len(arm.Preds) == 1 && arm.Dominates(at)
}

// A Condition is one that holds, or does not, wherever a block is entered.
type Condition struct {
	Value ssa.Value
	Holds bool
}

// Conditions are those that have decided that a block is entered, the nearest first.
func Conditions(b *ssa.BasicBlock) []Condition {
	var list []Condition
	for ; b.Idom() != nil; b = b.Idom() {
		branch := BranchOf(b.Idom())
		if branch == nil || len(b.Preds) != 1 {
			continue
		}
		yes, no := Arms(branch)
		if yes != no {
			list = append(list, Condition{branch.Cond, yes == b})
		}
	}
	return list
}

// Joined reports whether control comes to a block from more than one.
func Joined(b *ssa.BasicBlock) bool { return len(b.Preds) > 1 }

// Passes reports whether control that enters b can come to a block, b itself included,
// without passing through the block except, nil for none, and before the program ends.
func (p *Program) Passes(b, to, except *ssa.BasicBlock) bool {
	return p.PassesAny(b, map[*ssa.BasicBlock]bool{to: true}, except)
}

// PassesAny is Passes for several blocks.
func (p *Program) PassesAny(b *ssa.BasicBlock, to map[*ssa.BasicBlock]bool, except *ssa.BasicBlock) bool {
	return Search{ToEnd: true, Block: func(x *ssa.BasicBlock) Step {
		switch {
		case x == except:
			return Stop
		case to[x]:
			return Found
		}
		return Go
	}}.From(p, b)
}
