package analyse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

// TestInOrder has packages that import each other through one that nobody asks
// for.
func TestInOrder(t *testing.T) {
	leaf := &packages.Package{ID: "z"}
	through := &packages.Package{ID: "through", Imports: map[string]*packages.Package{"z": leaf}}
	asked := []*packages.Package{leaf}
	for i := range 20 {
		p := &packages.Package{ID: fmt.Sprintf("p%02d", i), Imports: map[string]*packages.Package{"through": through}}
		if i >= 3 {
			p.Imports["below"] = asked[len(asked)-3]
		}
		asked = append(asked, p)
	}
	slices.Reverse(asked)

	var mu sync.Mutex
	done := make(map[string]int)
	work := func(p *packages.Package) {
		time.Sleep(rand.N(2 * time.Millisecond))
		mu.Lock()
		defer mu.Unlock()
		packages.Visit([]*packages.Package{p}, nil, func(q *packages.Package) {
			if q != p && q != through && done[q.ID] != 1 {
				t.Errorf("%s comes before %s, which it imports", p.ID, q.ID)
			}
		})
		done[p.ID]++
	}
	inOrder(asked, 4, work)
	if len(done) != len(asked) || done["through"] != 0 {
		t.Errorf("done: %v", done)
	}
}
