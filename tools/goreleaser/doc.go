// Package snapshot makes what a tag would release, for this system and without the program
// that does it then: that is too large for a check of each change. It reads .goreleaser.yaml
// with that program's own package, and makes packages with the library that it uses. It is
// a module of its own, so that these are in nobody's graph.
package snapshot
