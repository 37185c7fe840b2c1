// Package inventory has a test that writes, too.
package inventory

type item struct{ Name string }
