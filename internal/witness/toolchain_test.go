package witness

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOldest executes shapes with the oldest release of Go that can be instrumented, and with the race detector.
func TestOldest(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the standard library twice")
	}
	goRoot(t, "go1.23.12")
	for name, opts := range map[string]Options{
		"go1.23.12": {Env: []string{"GOWORK=off", "GOTOOLCHAIN=go1.23.12"}},
		"race":      {Env: []string{"GOWORK=off"}, Flags: []string{"-race"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, "testdata/shapes")
			opts.Dir, opts.Cache = dir, cache(t)
			s, err := New(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if strings.Contains(s.goroot, filepath.Join("pkg", "mod")) {
				t.Errorf("%s is below the module cache, where nothing can be replaced from Go 1.25 on", s.goroot)
			}
			trace, err := s.Record(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(trace.LeftOut) != 1 {
				t.Errorf("left out: %v; want TestFails", trace.LeftOut)
			}
			var claims []Claim
			for _, m := range marks(t, dir) {
				if m.kind == "shape" || m.kind == "built" {
					claims = append(claims, Claim{Category: categories[m.shape], Site: m.site,
						Experiments: shapes[m.shape][:1]})
				}
			}
			proofs, err := s.Prove(t.Context(), claims)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range proofs {
				if p.Verdict != Proven {
					t.Errorf("%s is %s: %s", p.Claim.Site.Func, p.Verdict, p.Says)
				}
			}
		})
	}
}
