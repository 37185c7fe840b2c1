//go:build race

package analyzer_test

// How often programs are written in another order, and analysed again: under the race
// detector just so often that its watching is of use.
const (
	orders = 1
	runs   = 2
)
