package flow

import (
	"container/heap"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// A Forward is a forward problem: what holds at the beginning of each block, found by a
// worklist. It ends where S, ordered by Join, has no infinite ascending chain.
type Forward[S any] struct {
	// Question names it, for the record of what was given up.
	Question string
	// Transfer takes what holds in front of the n-th instruction of a block, and tells
	// what holds on each edge that control can take from there. It leaves in as it is.
	Transfer func(b *ssa.BasicBlock, n int, in S, leave func(succ int, out S))
	// Join is what holds where either does, and whether that is less than at said
	// alone. It leaves both as they are.
	Join func(at, more S) (joined S, changed bool)
}

// After solves the problem from behind an instruction. Blocks that are not reached are
// not in the result; that of the instruction is where control comes back to it.
func (f Forward[S]) After(p *Program, i ssa.Instruction, in S) map[*ssa.BasicBlock]S {
	g := p.Graph(i.Parent())
	w := &worklist[S]{f: f, g: g, at: map[*ssa.BasicBlock]S{}, pending: newBits(len(g.fn.Blocks))}
	w.transfer(i.Block(), g.Index(i)+1, in)
	return w.solve()
}

// From solves the problem from the beginning of a function.
func (f Forward[S]) From(p *Program, fn *ssa.Function, in S) map[*ssa.BasicBlock]S {
	g := p.Graph(fn)
	w := &worklist[S]{f: f, g: g, at: map[*ssa.BasicBlock]S{}, pending: newBits(len(fn.Blocks))}
	w.enter(fn.Blocks[0], in)
	return w.solve()
}

// A worklist holds the blocks whose states have changed, in reverse postorder, so that a
// block comes behind those that lead to it.
type worklist[S any] struct {
	f       Forward[S]
	g       *Graph
	at      map[*ssa.BasicBlock]S
	pending bitset // by place in the order
	todo    places
}

func (w *worklist[S]) solve() map[*ssa.BasicBlock]S {
	order, _ := w.g.order()
	for len(w.todo) > 0 {
		place := heap.Pop(&w.todo).(int)
		w.pending.remove(place)
		b := order[place]
		if !w.g.p.Spend(len(b.Instrs)) {
			w.g.p.giveUp(w.f.Question, w.g.fn)
			break
		}
		w.transfer(b, 0, w.at[b])
	}
	return w.at
}

func (w *worklist[S]) transfer(b *ssa.BasicBlock, n int, in S) {
	w.f.Transfer(b, n, in, func(succ int, out S) { w.enter(b.Succs[succ], out) })
}

func (w *worklist[S]) enter(b *ssa.BasicBlock, in S) {
	old, met := w.at[b]
	if met {
		joined, changed := w.f.Join(old, in)
		if !changed {
			return
		}
		in = joined
	}
	w.at[b] = in
	_, place := w.g.order()
	if n := place[b.Index]; !w.pending.has(n) {
		w.pending.add(n)
		heap.Push(&w.todo, n)
	}
}

// places are places in an order, the first on top of the heap.
type places []int

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *places) Push(x any)        { *p = append(*p, x.(int)) }
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// order is the reverse postorder of the blocks, and the place of each by its index. What
// is reached from nowhere comes last.
func (g *Graph) order() (blocks []*ssa.BasicBlock, place []int) {
	if g.rpo != nil {
		return g.rpo, g.place
	}
	n := len(g.fn.Blocks)
	seen, post := newBits(n), make([]*ssa.BasicBlock, 0, n)
	type frame struct {
		b    *ssa.BasicBlock
		next int
	}
	for i := n - 1; i >= 0; i-- {
		// The entry, and the block of a recover, are reached from nowhere.
		root := g.fn.Blocks[i]
		if i > 0 && len(root.Preds) > 0 || seen.has(i) {
			continue
		}
		seen.add(i)
		for frames := []frame{{b: root}}; len(frames) > 0; {
			f := &frames[len(frames)-1]
			if f.next == len(f.b.Succs) {
				post = append(post, f.b)
				frames = frames[:len(frames)-1]
				continue
			}
			to := f.b.Succs[f.next]
			f.next++
			if !seen.has(to.Index) {
				seen.add(to.Index)
				frames = append(frames, frame{b: to})
			}
		}
	}
	g.rpo, g.place = make([]*ssa.BasicBlock, 0, n), make([]int, n)
	for i := len(post) - 1; i >= 0; i-- {
		g.rpo = append(g.rpo, post[i])
	}
	for _, b := range g.fn.Blocks {
		if !seen.has(b.Index) {
			g.rpo = append(g.rpo, b)
		}
	}
	for i, b := range g.rpo {
		g.place[b.Index] = i
	}
	return g.rpo, g.place
}

// Phis yields the phis of the n-th successor of a block, with the value that each has
// where control comes from there.
func Phis(b *ssa.BasicBlock, n int) iter.Seq2[*ssa.Phi, ssa.Value] {
	to := b.Succs[n]
	// The edges of two arms that lead to one block are told apart by their order.
	same := 0
	for _, s := range b.Succs[:n] {
		if s == to {
			same++
		}
	}
	edge := -1
	for i, pred := range to.Preds {
		if pred != b {
			continue
		}
		if same == 0 {
			edge = i
			break
		}
		same--
	}
	return func(yield func(*ssa.Phi, ssa.Value) bool) {
		for _, i := range to.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok || edge < 0 || !yield(phi, phi.Edges[edge]) {
				return
			}
		}
	}
}

// To is the n-th successor of a block.
func To(b *ssa.BasicBlock, n int) *ssa.BasicBlock { return b.Succs[n] }

// Leave calls leave for each successor of a block that ends in a jump.
func Leave[S any](b *ssa.BasicBlock, out S, leave func(succ int, out S)) {
	for n := range b.Succs {
		leave(n, out)
	}
}
