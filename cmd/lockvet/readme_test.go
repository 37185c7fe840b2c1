//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadme runs what the README shows of a finding.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(text), "What lockvet says:\n\n")
	block, _, ok2 := strings.Cut(block, "\n\n")
	if !ok || !ok2 {
		t.Fatal("the README shows no finding")
	}
	shown := strings.ReplaceAll(strings.TrimPrefix(block, "    "), "\n    ", "\n")
	dir := copySeed(t, "trajindex")
	out, status := runSeedTool(t, dir, buildLockvet(t), "-C", dir, "./...")
	if status != 1 || !strings.Contains(squeeze(out), squeeze(shown)) {
		t.Errorf("status %d\n%s\nthe README shows\n%s", status, out, shown)
	}
}

// squeeze leaves the width of the screen out of it.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
