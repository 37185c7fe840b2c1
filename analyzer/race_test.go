//go:build race

package analyzer_test

// How often programs are written in another order, and analysed again, and more: under the race
// detector just so often that its watching is of use.
const (
	orders = 1
	runs   = 2
	coarse = 16    // how much coarser the budgets are that are tried
	weighs = false // what is allocated is no measure of the program: the detector adds its own
)
