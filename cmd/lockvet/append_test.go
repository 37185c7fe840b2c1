//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	appendWriters = 4
	appendEach    = 200
)

// Processes that append at the same time tear each other's records, in each of the ways
// that are reported.
func TestAppendTears(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs programs under stress")
	}
	dir := workDir(t)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "append"))); err != nil {
		t.Fatal(err)
	}
	out, code := runSeedTool(t, dir, buildLockvet(t), "-C", dir, "./...")
	if code != 1 || strings.Count(out, "tornappend/") != 2 {
		t.Fatalf("lockvet: exit code %d:\n%s", code, out)
	}
	journal := buildJournal(t, dir)
	for _, way := range []string{"record", "batch"} {
		t.Run(way, func(t *testing.T) {
			torn := 0
			for round := 0; torn == 0 && round < 20; round++ {
				torn = appendAtOnce(t, journal, way)
			}
			if torn == 0 {
				t.Errorf("no record was torn")
			}
		})
	}
}

func buildJournal(t *testing.T, dir string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "journal")
	if out, code := runSeedTool(t, dir, "go", "build", "-ldflags=-s -w", "-o", bin, "."); code != 0 {
		t.Fatalf("build: %s", out)
	}
	return bin
}

// appendAtOnce has several processes append to one journal, and counts the lines
// of it that are no record.
func appendAtOnce(t *testing.T, program, way string) (torn int) {
	t.Helper()
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for i := range appendWriters {
		cmd := exec.Command(program, way, dir, string(rune('a'+i)), fmt.Sprint(appendEach))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if !json.Valid(line) || len(bytes.TrimSpace(line)) == 0 {
			torn++
		}
	}
	return torn
}
