package witness

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkRecord compares tests that do nothing but file operations with and without the recorder, by what they cost
// the processor.
func BenchmarkRecord(b *testing.B) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		b.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := filepath.Abs("testdata/busy")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(b.Context(), Options{Dir: dir, Cache: cache(b), Env: []string{"GOWORK=off"}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	pkgs, err := s.packages(b.Context())
	if err != nil || len(pkgs) != 1 {
		b.Fatal(pkgs, err)
	}
	plain := filepath.Join(s.work, "plain.test")
	if _, err := s.goCommand(b.Context(), "test", "-c", "-o", plain); err != nil {
		b.Fatal(err)
	}
	binaries, _, err := s.build(b.Context(), pkgs, s.overlay)
	if err != nil {
		b.Fatal(err)
	}
	least := map[string]time.Duration{}
	for b.Loop() {
		for _, binary := range []string{plain, binaries[pkgs[0]]} {
			run := b.TempDir()
			config := "keep\nroot\t" + dir + "\n"
			if err := os.WriteFile(filepath.Join(run, "config"), []byte(config), 0o600); err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(binary)
			cmd.Env = s.testEnv(dir, run, run)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if least[binary] == 0 || took < least[binary] {
				least[binary] = took
			}
		}
	}
	b.ReportMetric(float64(least[binaries[pkgs[0]]])/float64(least[plain]), "recorded/plain")
}

// BenchmarkPlans chooses tests for each experiment in a trace of many operations.
func BenchmarkPlans(b *testing.B) {
	dir, err := filepath.Abs("testdata/busy")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(b.Context(), Options{Dir: dir, Cache: cache(b), Env: []string{"GOWORK=off"}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Record(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, x := range experiments {
			for _, fn := range []string{"Save", "Append", "Load"} {
				s.plans(Claim{Site: Site{File: filepath.Join(dir, "busy.go"), Func: fn}}, x)
			}
		}
	}
}
