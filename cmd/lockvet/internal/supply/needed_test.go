package supply

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a function needs compiles without the rest, on any system.
func TestNeededCompiles(t *testing.T) {
	all, err := copied("test")
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"WriteFile", "Lock", "Append", "UpdateJSON", "Sweep", "Options"} {
		t.Run(function, func(t *testing.T) {
			needed, err := Needed(all, map[string]bool{function: true, "Options.TryLock": function == "Options"})
			if err != nil {
				t.Fatal(err)
			}
			dir := module(t, language)
			for name := range needed {
				write(t, filepath.Join(dir, name), all[name])
			}
			for _, system := range []string{"linux", "windows", "plan9"} {
				if out, err := command(dir, system, "build").CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", system, err, out)
				}
			}
		})
	}
}

// module makes a module of a version of Go, and returns its directory.
func module(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo "+version+"\n"))
	return dir
}

func command(dir, system, verb string, flags ...string) *exec.Cmd {
	cmd := exec.Command("go", append(append([]string{verb}, flags...), ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+system, "GOWORK=off", "CGO_ENABLED=0")
	return cmd
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Who only replaces files gets no locks between processes.
func TestNeededLeavesOut(t *testing.T) {
	all, err := copied("test")
	if err != nil {
		t.Fatal(err)
	}
	needed, err := Needed(all, map[string]bool{"WriteFile": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"append.go", "update.go", "state.go", "lock.go", "records.go", "sweep.go"} {
		if needed[name] {
			t.Errorf("WriteFile is said to need %s", name)
		}
	}
	for _, name := range []string{"writefile.go", "temp.go", "sys_unix.go", "sys_windows.go", "doc.go"} {
		if !needed[name] {
			t.Errorf("WriteFile is said not to need %s", name)
		}
	}
}

func TestCalled(t *testing.T) {
	src := []byte(`package p
import io "example.com/m/internal/safeio"
func f() { io.WriteFile("a", nil, 0); g.Lock() }
`)
	got := Called(src, "example.com/m/internal/safeio")
	if len(got) != 1 || !got["WriteFile"] {
		t.Errorf("called %v", got)
	}
	src = []byte(`package p
import io "example.com/m/internal/safeio"
func f() { io.Options{Strict: true}.TryLock("a") }
`)
	got = Called(src, "example.com/m/internal/safeio")
	if !got["Options"] || !got["Options.TryLock"] {
		t.Errorf("called %v", got)
	}
	all, err := copied("test")
	if err != nil {
		t.Fatal(err)
	}
	needed, err := Needed(all, got)
	if err != nil || !needed["lock.go"] || needed["append.go"] {
		t.Errorf("needed %v, %v", needed, err)
	}
	if got := Called(src, "example.com/other"); len(got) != 0 {
		t.Errorf("called %v of a package that is not imported", got)
	}
}
