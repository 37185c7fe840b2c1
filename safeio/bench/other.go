//go:build !linux

// Bench measures package safeio, on Linux only: elsewhere the system calls of
// the floor are others.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: it measures on Linux only")
	os.Exit(1)
}
