package shapes

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func saves(t *testing.T, save func(string, map[string]int) error, load func(string) (map[string]int, error)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.json")
	for i := range 2 {
		if err := save(path, map[string]int{"a": i, "b": 2}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	if m["a"] != 1 || m["b"] != 2 {
		t.Errorf("%s holds %v", path, m)
	}
}

func TestSaveInPlace(t *testing.T)   { t.Parallel(); saves(t, SaveInPlace, load) }
func TestSaveWhole(t *testing.T)     { t.Parallel(); saves(t, SaveWhole, load) }
func TestSaveFixedTemp(t *testing.T) { t.Parallel(); saves(t, SaveFixedTemp, load) }
func TestSavePidTemp(t *testing.T)   { saves(t, SavePidTemp, load) }
func TestSaveAcross(t *testing.T)    { saves(t, SaveAcross, load) }
func TestSaveNear(t *testing.T)      { saves(t, SaveNear, load) }
func TestSaveStuck(t *testing.T)     { saves(t, SaveStuck, load) }
func TestSaveAgain(t *testing.T)     { saves(t, SaveAgain, load) }
func TestSaveOwnTemp(t *testing.T)   { saves(t, SaveOwnTemp, load) }
func TestSaveUnsynced(t *testing.T)  { saves(t, SaveUnsynced, load) }
func TestSaveSynced(t *testing.T)    { saves(t, SaveSynced, load) }

func TestWriteTruncated(t *testing.T) { saves(t, WriteTruncated, load) }
func TestWriteUnder(t *testing.T)     { saves(t, WriteUnder, ReadUnder) }
func TestWriteLocked(t *testing.T)    { saves(t, WriteLocked, ReadUnder) }
func TestWriteUnflushed(t *testing.T) { saves(t, WriteUnflushed, ReadShared) }
func TestWriteFlushed(t *testing.T)   { saves(t, WriteFlushed, ReadUnder) }

func adds(t *testing.T, add func(path, key string) error) {
	t.Helper()
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer os.Chdir(home)
	for _, key := range []string{"a", "b", "a"} {
		if err := add("state.json", key); err != nil {
			t.Fatal(err)
		}
	}
	m, err := load("state.json")
	if err != nil {
		t.Fatal(err)
	}
	if m["a"] != 2 || m["b"] != 1 {
		t.Errorf("%v", m)
	}
}

func TestAdd(t *testing.T)        { adds(t, Add) }
func TestAddLocked(t *testing.T)  { adds(t, AddLocked) }
func TestAddRecord(t *testing.T)  { adds(t, AddRecordLocked) }
func TestAddOrReset(t *testing.T) { adds(t, AddOrReset) }
func TestAddOrFail(t *testing.T)  { adds(t, AddOrFail) }

func TestAddBeside(t *testing.T)  { adds(t, AddBeside) }
func TestAddClaimed(t *testing.T) { adds(t, AddClaimed) }
func TestAddShared(t *testing.T)  { adds(t, AddShared) }
func TestAddOnce(t *testing.T)    { adds(t, AddOnceClaimed) }

func TestAddLate(t *testing.T) { adds(t, AddLate) }

func TestAddFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings", "first.json")
	if err := AddFirst(path, "a"); err != nil {
		t.Fatal(err)
	}
	if m, err := load(path); err != nil || m["a"] != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestLockFiles(t *testing.T) {
	for name, with := range map[string]func(string, func() error) error{"released": WithReleased, "held": WithHeld} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.lock")
			for range 2 {
				if err := with(path, func() error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestClaims(t *testing.T) {
	for name, claim := range map[string]func(string) error{"checked": ClaimChecked, "exclusive": ClaimExclusive} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "daemon.pid")
			if err := claim(path); err != nil {
				t.Fatal(err)
			}
			if pid, err := Owner(path); err != nil || pid != os.Getpid() {
				t.Errorf("%d, %v", pid, err)
			}
			if err := claim(path); !errors.Is(err, ErrHeld) {
				t.Errorf("claimed twice: %v", err)
			}
		})
	}
}

func TestAppendParts(t *testing.T)  { appends(t, AppendParts) }
func TestAppendRecord(t *testing.T) { appends(t, AppendRecord) }

func appends(t *testing.T, add func(path, key, value string) error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for range 2 {
		if err := add(path, "k", "v"); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || len(data) != 2*len("{\"k\": \"v\"}\n") {
		t.Errorf("%q, %v", data, err)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv("SHAPES_SAVE"); path != "" {
		for i := range 2 {
			if err := SaveChild(path, map[string]int{"a": i}); err != nil {
				panic(err)
			}
		}
		return
	}
	m.Run()
}

func TestProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"SHAPES_SAVE=" + path}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := load(path); err != nil {
		t.Fatal(err)
	}
}

func TestFails(t *testing.T) {
	if err := SaveFailing(filepath.Join(t.TempDir(), "state.json"), map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	t.Fatal("as it should")
}

func TestRegistry(t *testing.T) {
	releases := map[string]func(*Registry, string){"early": (*Registry).ReleaseEarly, "late": (*Registry).Release}
	for name, release := range releases {
		t.Run(name, func(t *testing.T) {
			var r Registry
			path := filepath.Join(t.TempDir(), "state.lock")
			for range 2 {
				for r.Claim(path) != nil {
					time.Sleep(time.Millisecond)
				}
				release(&r, path)
			}
			r.done.Wait()
		})
	}
}

func TestBuilt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	program := filepath.Join(t.TempDir(), "save")
	build := exec.Command("go", "build", "-o", program, "./cmd/save")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOFLAGS=") {
			build.Env = append(build.Env, v)
		}
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for range 2 {
		if out, err := exec.Command(program, path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if _, err := load(path); err != nil {
		t.Fatal(err)
	}
}

func TestStale(t *testing.T) {
	for name, take := range map[string]func(string) error{"removed": TakeStale, "renamed": TakeStaleLocked} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "daemon.pid")
			if err := os.WriteFile(path, []byte("0"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := take(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPublish(t *testing.T) {
	for name, claim := range map[string]func(string) error{"rename": ClaimByRename, "link": ClaimByLink} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "daemon.pid")
			if err := claim(path); err != nil {
				t.Fatal(err)
			}
			if pid, err := Owner(path); err != nil || pid != os.Getpid() {
				t.Errorf("%d, %v", pid, err)
			}
		})
	}
}

func TestRegistryAlone(t *testing.T) {
	var r Registry
	path := filepath.Join(t.TempDir(), "state.lock")
	for range 2 {
		if err := r.Claim(path); err != nil {
			t.Fatal(err)
		}
		r.ReleaseAlone(path)
		r.done.Wait()
	}
}

func TestHold(t *testing.T) {
	for name, hold := range map[string]func(string) error{"dropped": HoldDropped, "kept": HoldKept} {
		t.Run(name, func(t *testing.T) {
			if err := hold(filepath.Join(t.TempDir(), "state.lock")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSecondLine has the program save elsewhere what is a part of what AddLine saves.
func TestSecondLine(t *testing.T) {
	if err := replace(filepath.Join(t.TempDir(), "lines.txt"), []byte("second\n")); err != nil {
		t.Fatal(err)
	}
}

func TestAddLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines.txt")
	if err := os.WriteFile(path, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := AddLine(path, "second"); err != nil {
		t.Fatal(err)
	}
}
