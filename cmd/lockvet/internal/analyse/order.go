package analyse

import (
	"sync"

	"golang.org/x/tools/go/packages"
)

// inOrder calls work for each package, after it was done with all that this one imports, also through
// others: for several at a time.
func inOrder(pkgs []*packages.Package, workers int, work func(*packages.Package)) {
	asked, done := make(map[*packages.Package]bool), make(map[*packages.Package]chan struct{})
	for _, p := range pkgs {
		asked[p] = true
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) { done[p] = make(chan struct{}) })
	turns := make(chan struct{}, workers)
	var working sync.WaitGroup
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		working.Go(func() {
			defer close(done[p])
			for _, imp := range p.Imports {
				<-done[imp]
			}
			if asked[p] {
				turns <- struct{}{}
				work(p)
				<-turns
			}
		})
	})
	working.Wait()
}
