package main

import "fmt"

// explain is the documentation of a check.
func explain(check string) (string, error) {
	return "", fmt.Errorf("no check is named %q", check)
}
