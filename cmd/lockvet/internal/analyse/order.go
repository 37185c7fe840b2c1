package analyse

import (
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// inOrder calls work for each package, after it was done with all that this one
// imports, also through others: for several at a time, and of those that it could
// be called for the one that comes first where imports are followed one after the
// other. So packages that import the same follow each other closely.
func inOrder(pkgs []*packages.Package, workers int, work func(*packages.Package)) {
	o := newOrder(pkgs)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for p := o.next(); p != nil; p = o.next() {
				if o.asked[p] {
					work(p)
				}
				o.done(p)
			}
		})
	}
	working.Wait()
}

// An order is packages and all that they import, on their way.
type order struct {
	all       []*packages.Package
	asked     map[*packages.Package]bool
	importers map[*packages.Package][]int // by what they import, indices in all

	mu    sync.Mutex
	more  sync.Cond
	open  []int // by index, how much of what a package imports is not done
	ready []int // the indices of those that can be worked on, in order
	left  int   // how many are not taken
}

func newOrder(pkgs []*packages.Package) *order {
	o := &order{asked: make(map[*packages.Package]bool), importers: make(map[*packages.Package][]int)}
	o.more.L = &o.mu
	for _, p := range pkgs {
		o.asked[p] = true
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if len(p.Imports) == 0 {
			o.ready = append(o.ready, len(o.all))
		}
		for _, imp := range p.Imports {
			o.importers[imp] = append(o.importers[imp], len(o.all))
		}
		o.all, o.open = append(o.all, p), append(o.open, len(p.Imports))
	})
	o.left = len(o.all)
	return o
}

// next waits for a package that can be worked on; nil if all are taken.
func (o *order) next() *packages.Package {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.ready) == 0 && o.left > 0 {
		o.more.Wait()
	}
	if o.left == 0 {
		return nil
	}
	p := o.all[o.ready[0]]
	o.ready = o.ready[1:]
	o.left--
	return p
}

// done says that the work on a package is.
func (o *order) done(p *packages.Package) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, i := range o.importers[p] {
		if o.open[i]--; o.open[i] == 0 {
			at, _ := slices.BinarySearch(o.ready, i)
			o.ready = slices.Insert(o.ready, at, i)
		}
	}
	o.more.Broadcast()
}
