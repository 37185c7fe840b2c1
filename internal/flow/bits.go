package flow

import (
	"iter"
)

// A bitset is a set of small numbers.
type bitset []uint64

func newBits(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

func (s bitset) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s bitset) union(o bitset) {
	for i, w := range o {
		s[i] |= w
	}
}

// Components yields the strongly connected components of a graph, each behind those that
// it leads to. What next leads to is among the nodes.
func Components[T comparable](nodes []T, next func(T) []T) iter.Seq[[]T] {
	place := make(map[T]int, len(nodes))
	for i, n := range nodes {
		place[n] = i
	}
	return components(nodes, next, func(n T) int { return place[n] })
}

// components is the same of nodes that place numbers from zero.
func components[T any](nodes []T, next func(T) []T, place func(T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		type frame struct {
			node T
			next int
		}
		index, low := make([]int, len(nodes)), make([]int, len(nodes)) // from one on
		waiting, on := []T{}, newBits(len(nodes))
		count := 0
		for _, root := range nodes {
			if index[place(root)] != 0 {
				continue
			}
			frames := []frame{{node: root}}
			for len(frames) > 0 {
				f := &frames[len(frames)-1]
				n := place(f.node)
				if f.next == 0 {
					count++
					index[n], low[n] = count, count
					waiting = append(waiting, f.node)
					on.add(n)
				}
				succs := next(f.node)
				if f.next > 0 {
					low[n] = min(low[n], low[place(succs[f.next-1])])
				}
				descended := false
				for f.next < len(succs) {
					s := succs[f.next]
					f.next++
					if index[place(s)] == 0 {
						frames = append(frames, frame{node: s})
						descended = true
						break
					}
					if on.has(place(s)) {
						low[n] = min(low[n], index[place(s)])
					}
				}
				if descended {
					continue
				}
				frames = frames[:len(frames)-1]
				if low[n] != index[n] {
					continue
				}
				first := len(waiting) - 1
				for place(waiting[first]) != n {
					first--
				}
				comp := append([]T(nil), waiting[first:]...)
				waiting = waiting[:first]
				for _, m := range comp {
					on.remove(place(m))
				}
				if !yield(comp) {
					return
				}
			}
		}
	}
}

func (s bitset) remove(n int) { s[n/64] &^= 1 << (n % 64) }
