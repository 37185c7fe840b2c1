// Package witness runs the tests of a program with a recorder in package os, and executes what findings claim: it
// plays the other process at a place where the program writes a file, and says what the file holds then. It knows
// files, processes and locks as a run shows them, and nothing of the analysis.
package witness
