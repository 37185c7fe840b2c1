package witness

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRoot is the root of a release of Go; the test is skipped where that is not there and cannot be had.
func goRoot(t *testing.T, toolchain string) string {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no toolchain %s: %v", toolchain, err)
	}
	return strings.TrimSpace(string(out))
}

// TestInstrument compiles the instrumented packages for each system, with the oldest release and the one that runs.
func TestInstrument(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the standard library for five systems")
	}
	for _, toolchain := range []string{"local", "go1.23.12"} {
		t.Run(toolchain, func(t *testing.T) {
			root := goRoot(t, toolchain)
			overlay, err := Instrument(root, "go", cache(t))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Instrument(root, "go", cache(t)); err != nil || again != overlay {
				t.Errorf("instrumented again: %s, %v; want %s", again, err, overlay)
			}
			for _, system := range []string{"linux/amd64", "linux/386", "darwin/arm64", "windows/amd64", "freebsd/amd64"} {
				goos, goarch, _ := strings.Cut(system, "/")
				cmd := exec.Command("go", "build", "-overlay="+overlay, "os", "syscall", "testing")
				cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOWORK=off", "GOOS="+goos, "GOARCH="+goarch)
				cmd.Dir = t.TempDir()
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", system, err, out)
				}
			}
		})
	}
}

// TestOverlayNamesFiles has each file of the overlay there, and none outside of the standard library replaced.
func TestOverlayNamesFiles(t *testing.T) {
	root := goRoot(t, "local")
	overlay, err := Instrument(root, "go", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Replace map[string]string }
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}
	for from, to := range list.Replace {
		if !strings.HasPrefix(from, filepath.Join(root, "src")) {
			t.Errorf("%s is not in the standard library", from)
		}
		if !exists(to) {
			t.Errorf("%s is missing", to)
		}
	}
}

// TestInstrumentUnknown refuses a release whose package os is another one.
func TestInstrumentUnknown(t *testing.T) {
	root := t.TempDir()
	if _, err := Instrument(root, "go", t.TempDir()); err == nil || !strings.Contains(err.Error(), "install") {
		t.Errorf("no sources: %v", err)
	}
	for _, pkg := range []string{"os", "syscall"} {
		file := filepath.Join(root, "src", pkg, "file.go")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("package "+pkg+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Instrument(root, "go", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "cannot be instrumented") {
		t.Errorf("unknown sources: %v", err)
	}
}
