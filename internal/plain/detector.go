//go:build race

package plain

const detector = true
