package alone

import (
	"os/exec"
	"testing"
)

func TestGuarded(t *testing.T) {
	if err := guarded(t.TempDir()+"/lock", exec.Command("true").Run); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("true").Run(); err != nil {
		t.Fatal(err)
	}
}
