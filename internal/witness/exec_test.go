package witness

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// program is one without tests that keeps a state in a file: in place, or as a whole.
const program = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var m map[string]int
	data, err := os.ReadFile(os.Args[2])
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	if m == nil {
		m = map[string]int{}
	}
	m[os.Args[3]]++
	if data, err = json.Marshal(m); err != nil {
		panic(err)
	}
	save := map[string]func(string, []byte) error{"inplace": inPlace, "whole": whole}[os.Args[1]]
	if err := save(os.Args[2], data); err != nil {
		panic(err)
	}
}

func inPlace(name string, data []byte) error {
	return os.WriteFile(name, data, 0o600) // shape: inplace
}

func whole(name string, data []byte) error {
	f, err := os.CreateTemp(".", "new-*")
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name) // twin: inplace
}
`

// TestExec executes schedules against a command, in a program that has no tests.
func TestExec(t *testing.T) {
	dir := module(t, map[string]string{"cmd/keep/main.go": program, "state.json": `{"a":1}`, "whole.json": `{"a":1}`})
	before := listed(t, dir)
	s, _ := recorded(t, dir)
	command := "keep inplace state.json a/b && keep inplace ./state.json c && keep inplace $HOME/home.json a && " +
		"keep whole whole.json a && keep whole whole.json c"
	trace, err := s.Exec(t.Context(), command)
	if err != nil || len(trace.LeftOut) > 0 || trace.Tests != 1 {
		t.Fatalf("%+v, %v", trace, err)
	}
	for _, m := range marks(t, dir) {
		for _, x := range []string{"full", "kill", "reader", "powercut"} {
			proofs, err := s.Prove(t.Context(), []Claim{{Site: m.site, Acts: []string{x}}})
			if err != nil {
				t.Fatal(err)
			}
			p := proofs[0]
			want := map[string]Verdict{"shape": Proven, "twin": Refuted}[m.kind]
			if p.Verdict != want || p.Test != command || p.Says == "" {
				t.Errorf("%s %s is %s by %s: %s", m.kind, x, p.Verdict, p.Test, p.Says)
			}
			if r := p.Reader; m.kind == "shape" && (r.Site.Name() != "main" || !p.Before.Exists) {
				t.Errorf("%s: before was %v, the reader is %+v", x, p.Before, r)
			}
		}
	}
	for _, m := range marks(t, dir) {
		proofs, err := s.Prove(t.Context(), []Claim{{Site: m.site, Acts: []string{"update"}}})
		if err != nil || proofs[0].Verdict != Proven {
			t.Errorf("%s is %+v, %v", m.kind, proofs, err)
		}
	}
	if seen := trace.Seen(nil); len(seen) == 0 || seen[0].Test != command {
		t.Errorf("seen: %+v", seen)
	}
	if now := listed(t, dir); !slices.Equal(before, now) {
		t.Errorf("the directory has %v; want %v", now, before)
	}
}

// TestExecLeftOut says why nothing is learned from a command.
func TestExecLeftOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of another shell")
	}
	dir := module(t, map[string]string{"cmd/keep/main.go": program, "lib/lib.go": "package lib\n"})
	for command, want := range map[string]string{
		"keep inplace state.json a; echo no luck; exit 3": "it fails without another process: no luck",
		"keep": "", "false": "it prints nothing",
	} {
		s, err := New(t.Context(), Options{Dir: filepath.Join(dir, "cmd"), Cache: cache(t), Env: []string{"GOWORK=off"}})
		if err != nil {
			t.Fatal(err)
		}
		trace, err := s.Exec(t.Context(), command)
		if err != nil || len(trace.LeftOut) != 1 || trace.LeftOut[0].Test != command ||
			!strings.Contains(trace.LeftOut[0].Why, want) {
			t.Errorf("%+v, %v", trace, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	s, err := New(t.Context(), Options{Dir: filepath.Join(dir, "lib"), Cache: cache(t), Env: []string{"GOWORK=off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if trace, err := s.Exec(t.Context(), "true"); err != nil || len(trace.LeftOut) != 1 {
		t.Errorf("%+v, %v", trace, err)
	}
}
