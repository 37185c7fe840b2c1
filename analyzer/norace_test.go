//go:build !race

package analyzer_test

// How often programs are written in another order, and analysed again.
const (
	orders = 3
	runs   = 10
	coarse = 1    // how much coarser the budgets are that are tried
	weighs = true // what is allocated is measured
)
