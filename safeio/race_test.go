//go:build race

package safeio

const raceDetector = true
