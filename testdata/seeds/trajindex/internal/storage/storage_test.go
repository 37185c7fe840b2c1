package storage

import (
	"strings"
	"testing"
)

// stored saves trajectories with the titles in a storage of their own.
func stored(t *testing.T, titles ...string) (*FileStorage, []*Trajectory) {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []*Trajectory
	for _, title := range titles {
		tr := NewTrajectory(title, "lead", "release")
		if err := s.Save(tr); err != nil {
			t.Fatal(err)
		}
		all = append(all, tr)
	}
	return s, all
}

func TestSaveAndLoad(t *testing.T) {
	s, all := stored(t, "Fix login", "Write docs")
	for _, want := range all {
		got, err := s.Load(want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Title != want.Title {
			t.Errorf("title %q, want %q", got.Title, want.Title)
		}
	}
}

// A trajectory that is saved again keeps its place.
func TestSaveAgain(t *testing.T) {
	s, all := stored(t, "Fix login")
	all[0].Decisions = append(all[0].Decisions, "use the old token")
	if err := s.Save(all[0]); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Decisions) != 1 {
		t.Errorf("decisions %q, want one", got.Decisions)
	}
}

func TestComplete(t *testing.T) {
	s, all := stored(t, "Fix login", "Write docs")
	if err := s.Complete(all[1].ID); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var statuses []string
	for _, l := range list {
		statuses = append(statuses, l.Status)
	}
	if got := strings.Join(statuses, " "); got != "active completed" {
		t.Errorf("statuses %s", got)
	}
}
