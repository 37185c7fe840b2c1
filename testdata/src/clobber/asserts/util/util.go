// Package util ends the program where there is an error.
package util

import (
	"fmt"
	"os"
)

// Check does, if err is one.
func Check(what string, err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, what, err)
	os.Exit(1)
}

// Must takes any message, and ends the program where there is one.
func Must(msg any) {
	if msg != nil {
		fmt.Fprintln(os.Stderr, msg)
		os.Exit(1)
	}
}

// CheckErr is named so, and goes on.
func CheckErr(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
