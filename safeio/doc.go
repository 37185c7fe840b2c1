// Package safeio replaces files so that a reader, a crash or a second writer
// never meets a torn or empty one.
package safeio
