// Package homedir stands for the library of that name.
package homedir

func Expand(path string) (string, error) { return path, nil }
