package analyse

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// inOrder calls the workers, each for one package at a time, for each package
// after it was done with all that this one imports, also through others. What
// imports the least comes first, so that a worker seldom has to wait.
func inOrder(pkgs []*packages.Package, workers []func(*packages.Package)) {
	order := byDepth(pkgs)
	asked, done := make(map[string]bool), make(map[string]chan struct{})
	for _, p := range pkgs {
		asked[p.ID] = true
	}
	for _, p := range order {
		done[p.ID] = make(chan struct{})
	}
	queue := make(chan *packages.Package)
	var working sync.WaitGroup
	for _, work := range workers {
		working.Go(func() {
			for p := range queue {
				for _, imp := range p.Imports {
					<-done[imp.ID]
				}
				if asked[p.ID] {
					work(p)
				}
				close(done[p.ID])
			}
		})
	}
	for _, p := range order {
		queue <- p
	}
	close(queue)
	working.Wait()
}

// byDepth lists packages and all that they import, by the length of the longest
// way down through imports.
func byDepth(pkgs []*packages.Package) []*packages.Package {
	var order []*packages.Package
	depth := make(map[string]int)
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, imp := range p.Imports {
			depth[p.ID] = max(depth[p.ID], depth[imp.ID]+1)
		}
		order = append(order, p)
	})
	slices.SortFunc(order, func(a, b *packages.Package) int {
		if d := depth[a.ID] - depth[b.ID]; d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return order
}
