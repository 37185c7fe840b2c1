package gate

import (
	"os"
	"testing"
	"time"
)

func TestAllow(t *testing.T) {
	g := New(t.TempDir(), "session 1")
	for _, want := range []bool{false, true} {
		got, err := g.Allow("main.go")
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("allowed: %t, want %t", got, want)
		}
	}
}

func TestMarkChecked(t *testing.T) {
	g := New(t.TempDir(), "session 1")
	for _, file := range []string{"main.go", "gate.go", "main.go"} {
		if err := g.MarkChecked(file); err != nil {
			t.Fatal(err)
		}
	}
	checked, err := g.Checked()
	if err != nil {
		t.Fatal(err)
	}
	if len(checked) != 2 {
		t.Errorf("checked %q, want two files", checked)
	}
}

// An edit of a checked file keeps an old session alive.
func TestHeartbeat(t *testing.T) {
	g := New(t.TempDir(), "session 1")
	old := time.Now().UTC().Add(-2 * heartbeat).Format(time.RFC3339)
	state := `{"checked": ["main.go"], "last_active": "` + old + `"}`
	if err := os.WriteFile(g.path, []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := g.IsChecked("main.go"); err != nil || !ok {
		t.Fatalf("checked: %t, %v", ok, err)
	}
	now, err := g.load()
	if err != nil {
		t.Fatal(err)
	}
	if time.Since(now.LastActive) > heartbeat {
		t.Errorf("last active at %v", now.LastActive)
	}
}
