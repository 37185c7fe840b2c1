package plain

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// TestRun: what a test does behind Run is done without the detector.
func TestRun(t *testing.T) {
	if Run(t) {
		return
	}
	if detector {
		t.Error("the race detector is there")
	}
}

// An inner test is another test by its name, and remembers what became of it.
type inner struct {
	testing.TB
	name string
	said []string
}

func (i *inner) Name() string              { return i.name }
func (i *inner) Errorf(f string, _ ...any) { i.said = append(i.said, "error") }
func (i *inner) Skipf(f string, _ ...any)  { i.said = append(i.said, "skip") }
func (i *inner) Logf(f string, _ ...any)   { i.said = append(i.said, "log") }

// TestOutcome: what becomes of a test there becomes of it here.
func TestOutcome(t *testing.T) {
	t.Setenv("PLAIN_OUTCOME", "told")
	for name, want := range map[string]string{
		"TestPasses": "log", "TestFails": "error", "TestSkips": "skip", "TestIsNotThere": "error",
	} {
		i := &inner{TB: t, name: name}
		if Run(i) != detector {
			t.Errorf("%s was run with detector %t", name, detector)
		}
		if detector && !slices.Equal(i.said, []string{want}) {
			t.Errorf("%s says %q, want %s", name, i.said, want)
		}
	}
}

func TestPasses(t *testing.T) {}

func TestFails(t *testing.T) {
	if os.Getenv("PLAIN_OUTCOME") != "" {
		t.Error("as it was told")
	}
}

func TestSkips(t *testing.T) {
	if os.Getenv("PLAIN_OUTCOME") != "" {
		t.Skip("as it was told")
	}
}

func TestArguments(t *testing.T) {
	args := strings.Join(arguments("TestX", "log"), " ")
	for _, want := range []string{"-test.run=^TestX$", "-test.testlogfile=log", "-test.short=" + value("short")} {
		if !strings.Contains(args, want) {
			t.Errorf("%s is not in %s", want, args)
		}
	}
}
