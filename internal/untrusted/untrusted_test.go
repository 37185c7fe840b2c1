package untrusted_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/untrusted"
)

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("12345678"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := untrusted.ReadFile(name, 8); string(got) != "12345678" || err != nil {
		t.Errorf("a file of the largest size: %q, %v", got, err)
	}
	if got, err := untrusted.ReadFile(name, 7); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("a file that is too large: %q, %v", got, err)
	}
	if _, err := untrusted.ReadFile(name+"b", 8); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// TestReadFileEnds: a link leads to a device that has no end, or to one that waits for somebody to type.
func TestReadFileEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such devices")
	}
	for _, device := range []string{"/dev/zero", "/dev/tty"} {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(device, link); err != nil {
			t.Fatal(err)
		}
		if _, err := untrusted.ReadFile(link, 8); err == nil {
			t.Errorf("%s was read", device)
		}
	}
}

// A panicking value panics when the library decodes it.
type panicking struct{}

func (panicking) UnmarshalYAML(func(any) error) error { panic("a bug") }

func TestPanicsAreErrors(t *testing.T) {
	if err := untrusted.DecodeYAML([]byte("a: b"), new(panicking)); err == nil || !strings.Contains(err.Error(), "a bug") {
		t.Errorf("DecodeYAML: %v", err)
	}
}
