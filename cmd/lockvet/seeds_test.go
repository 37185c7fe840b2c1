//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/witness"
)

// A seedFigure is what the last line of a stress command says.
type seedFigure struct{ written, lost, torn, phantom int }

// A seed is a program in testdata/seeds, with the part of the figure in which
// its defect shows.
type seed struct {
	name   string
	defect func(seedFigure) int
	causes []cause  // what -fix has to fix
	load   []string // arguments of the stress command: a load under which the broken seed loses in each round
	also   []string // the arguments of a second run of the stress command
}

// A cause is a function with the one check, or the two, that report it.
type cause struct{ fn, check, second string }

// runs are the arguments of each run of the stress command.
func (s seed) runs() [][]string {
	if s.also == nil {
		return [][]string{s.load}
	}
	return [][]string{s.load, slices.Concat(s.load, s.also)}
}

var seeds = []seed{
	{name: "sessionsave", defect: func(f seedFigure) int { return f.torn },
		load: []string{"-steps", "10"}, also: []string{"-harness", "document"}, causes: []cause{
			{"saveImage", "tornwrite", ""}, {"saveAudio", "tornwrite", ""}, {"saveVideo", "tornwrite", ""}, {"saveDiagram", "tornwrite", ""},
			{"saveDocument", "trunclock", "unflushed"},
		}},
	{name: "writelock", defect: func(f seedFigure) int { return f.lost }, causes: []cause{{"(*Lock).Release", "earlyrelease", ""}}},
	{name: "gatestate", defect: func(f seedFigure) int { return f.lost }, causes: []cause{
		{"(*Gate).IsChecked", "lostupdate", ""}, {"(*Gate).MarkChecked", "lostupdate", ""},
	}},
	{name: "trajindex", defect: func(f seedFigure) int { return f.lost }, also: []string{"-scenario", "malformed"}, causes: []cause{
		{"saveIndex", "tornwrite", ""}, {"replaceIndex", "tornwrite", ""}, {"loadIndex", "clobber", ""},
		{"Complete", "lostupdate", ""}, {"updateIndex", "lostupdate", ""},
	}},
	{name: "ctxfile", defect: func(f seedFigure) int { return f.phantom }, causes: []cause{
		{"(*Context).Append", "latelock", ""}, {"(*Context).Checkpoint", "latelock", ""},
		{"(*Context).UpdateTokenCount", "latelock", ""}, {"(*Context).Clear", "latelock", ""},
	}},
}

// Every seed loses data as it is: what is fixed below was broken before, and
// the stress commands can tell.
func TestSeedsLose(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs programs under stress")
	}
	for _, seed := range seeds {
		t.Run(seed.name, func(t *testing.T) {
			t.Parallel()
			dir := copySeed(t, seed.name)
			bin := buildSeed(t, dir)
			for _, args := range seed.runs() {
				f, out := stressSeed(t, dir, bin, 3, args...)
				if f.written == 0 || seed.defect(f) == 0 {
					t.Errorf("nothing was lost:\n%s", out)
				}
			}
		})
	}
}

// The seeds whose causes are known to a check are reported, and lose nothing when -fix has been run. Where schedules can be
// executed, what is fixed is proven by the seed's own tests before, and refuted after.
func TestSeedsFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs under stress")
	}
	lockvet := buildLockvet(t)
	for _, seed := range seeds {
		if len(seed.causes) == 0 {
			continue
		}
		t.Run(seed.name, func(t *testing.T) {
			dir := copySeed(t, seed.name)
			out, code := runSeedTool(t, dir, lockvet, "-C", dir, "./...")
			if code != 1 {
				t.Fatalf("lockvet: exit code %d, want 1:\n%s", code, out)
			}
			for _, c := range seed.causes {
				for _, check := range []string{c.check, c.second} {
					if check != "" && !reports(out, c.fn, check) {
						t.Errorf("%s is not reported by %s:\n%s", c.fn, check, out)
					}
				}
				if c.check != "tornwrite" && reports(out, c.fn, "tornwrite") {
					t.Errorf("%s is reported as torn as well:\n%s", c.fn, out)
				}
			}
			// Findings of other checks, and writers that cannot be fixed yet, may be left.
			name, fix := filepath.Join(t.TempDir(), "out.json"), []string{"-fix"}
			if runtime.GOOS == "linux" {
				fix = []string{"prove", "-fix"}
			}
			fixed, code := runSeedTool(t, dir, lockvet, append(fix, "-json="+name, "-C", dir, "./...")...)
			if code != 0 && code != 1 {
				t.Fatalf("lockvet %v: exit code %d:\n%s", fix, code, fixed)
			}
			if runtime.GOOS == "linux" {
				found := readDocument(t, name).Fixed
				for range 2 { // it is up to the scheduler whether a second goroutine comes in time
					if !slices.ContainsFunc(found, unreached) {
						break
					}
					again := copySeed(t, seed.name)
					runSeedTool(t, again, lockvet, append(fix, "-json="+name, "-C", again, "./...", "--", "-count=1")...)
					found = readDocument(t, name).Fixed
				}
				checkProofs(t, found)
			}
			if out, code := runSeedTool(t, dir, "go", "vet", "./..."); code != 0 {
				t.Fatalf("the fixed seed does not vet:\n%s\n%s", out, fixed)
			}
			out, _ = runSeedTool(t, dir, lockvet, "-C", dir, "./...")
			for _, c := range seed.causes {
				if reports(out, c.fn, "") {
					t.Errorf("%s is still reported:\n%s", c.fn, out)
				}
			}
			bin := buildSeed(t, dir)
			for _, args := range seed.runs() {
				f, out := stressSeed(t, dir, bin, fixedRounds, args...)
				if f.written == 0 || f != (seedFigure{written: f.written}) {
					t.Errorf("the fixed seed loses:\n%s\n%s", out, fixed)
				}
			}
		})
	}
}

func unreached(f report.Finding) bool { return f.Proof != nil && f.Proof.Verdict == witness.Unreached }

// checkProofs checks the proofs of what was fixed. What is about memory cannot be executed.
func checkProofs(t *testing.T, fixed []report.Finding) {
	t.Helper()
	for _, f := range fixed {
		switch {
		case f.Check == "latelock":
			if f.Proof != nil {
				t.Errorf("%s (%s) has a proof: %s", f.Message, f.Category, f.Proof.Says)
			}
		case f.Proof == nil || f.Proof.Verdict != witness.Proven:
			t.Errorf("before: %s (%s): %+v, want a proof", f.Message, f.Category, f.Proof)
		case f.Check == "earlyrelease" && f.ProofAfter != nil && f.ProofAfter.Verdict == witness.Unreached:
			// What keeps the other goroutine out is in memory: it does not come to the file at all.
		case f.ProofAfter == nil || f.ProofAfter.Verdict != witness.Refuted:
			t.Errorf("after: %s (%s): %+v, want it refuted", f.Message, f.Category, f.ProofAfter)
		}
	}
}

func readDocument(t *testing.T, name string) report.Document {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc report.Document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Fixed) == 0 {
		t.Fatalf("nothing was fixed: %s", text)
	}
	return doc
}

// reports says whether the report has a finding of the check, or of any, in the
// function.
func reports(report, function, check string) bool {
	for line := range strings.Lines(report) {
		if strings.Contains(line, function+" ") && strings.Contains(line, "("+check) && strings.Contains(line, ".go:") && strings.HasSuffix(strings.TrimSpace(line), ")") {
			return true
		}
	}
	return false
}

// copySeed copies a seed to a directory of its own.
func copySeed(t *testing.T, name string) string {
	t.Helper()
	dir := workDir(t)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "seeds", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fixedRounds are the rounds in which a fixed seed must lose nothing. One that is not
// fixed loses in the first, after a few writes.
const fixedRounds = 1

// buildSeed builds the programs of the module in dir, and returns the directory where they
// are.
func buildSeed(t *testing.T, dir string) string {
	t.Helper()
	bin := t.TempDir()
	if out, code := runSeedTool(t, dir, "go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./..."); code != 0 {
		t.Fatalf("build: %s", out)
	}
	return bin
}

// stressSeed runs the stress command of the module in dir, whose programs are in bin, for
// some rounds at most and returns the figure and the whole output.
func stressSeed(t *testing.T, dir, bin string, rounds int, more ...string) (seedFigure, string) {
	t.Helper()
	// The time ends what hangs: on a busy machine a run takes a minute.
	args := append([]string{"-rounds", fmt.Sprint(rounds), "-timeout", "5m"}, more...)
	if program := seedProgram(t, dir); program != "ctxfile" { // its stress command calls the package
		args = append(args, "-program", filepath.Join(bin, program))
	}
	out, code := runSeedTool(t, dir, filepath.Join(bin, "stress"), args...)
	if code != 0 && code != 1 {
		t.Fatalf("stress: exit code %d:\n%s", code, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var f seedFigure
	if _, err := fmt.Sscanf(lines[len(lines)-1], "written=%d lost=%d torn=%d phantom=%d",
		&f.written, &f.lost, &f.torn, &f.phantom); err != nil {
		t.Fatalf("stress ends without a figure: %v\n%s", err, out)
	}
	if broken := f.lost+f.torn+f.phantom > 0; broken != (code == 1) {
		t.Fatalf("stress: exit code %d contradicts its figure:\n%s", code, out)
	}
	return f, out
}

// seedProgram is the last element of the path of the module in dir.
func seedProgram(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line[strings.LastIndex(line, "/")+1:]
}

// runSeedTool runs a command in dir, without network, and returns what it printed
// and its exit code.
func runSeedTool(t *testing.T, dir, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
