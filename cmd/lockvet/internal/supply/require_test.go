package supply

import (
	"testing"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
)

func TestWithRequirement(t *testing.T) {
	d := &load.Download{Path: importPath, Version: "v1.2.3"}
	for _, c := range []struct{ name, before, after string }{
		{
			"the only one",
			"module m\n\ngo 1.24\n",
			"module m\n\ngo 1.24\n\nrequire github.com/lockvet/lockvet/safeio v1.2.3\n",
		},
		{
			"among others",
			"module m\n\ngo 1.24\n\nrequire (\n\ta.b/c v1.0.0 // why\n\tz.b/c v1.0.0\n)\n\nrequire (\n\tb.b/c v1.0.0 // indirect\n)\n",
			"module m\n\ngo 1.24\n\nrequire (\n\ta.b/c v1.0.0 // why\n\tgithub.com/lockvet/lockvet/safeio v1.2.3\n\tz.b/c v1.0.0\n)\n\nrequire (\n\tb.b/c v1.0.0 // indirect\n)\n",
		},
		{
			"not among what others require",
			"module m\n\ngo 1.24\n\nrequire a.b/c v1.0.0\n\nrequire (\n\tb.b/c v1.0.0 // indirect\n)\n",
			"module m\n\ngo 1.24\n\nrequire a.b/c v1.0.0\n\nrequire github.com/lockvet/lockvet/safeio v1.2.3\n\nrequire (\n\tb.b/c v1.0.0 // indirect\n)\n",
		},
		{"replaced", "module m\n\ngo 1.24\n\nreplace github.com/lockvet/lockvet/safeio => ../safeio\n", ""},
		{"required", "module m\n\ngo 1.24\n\nrequire github.com/lockvet/lockvet/safeio v1.0.0 // indirect\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := withRequirement("go.mod", []byte(c.before), d)
			if string(got) != c.after || (err == nil) != (c.after != "") {
				t.Errorf("%v\n%s\nwant\n%s", err, got, c.after)
			}
		})
	}
}

func TestWithSums(t *testing.T) {
	d := &load.Download{Path: importPath, Version: "v1.2.3", Sum: "h1:a", GoModSum: "h1:b"}
	const ours = "github.com/lockvet/lockvet/safeio v1.2.3 h1:a\ngithub.com/lockvet/lockvet/safeio v1.2.3/go.mod h1:b\n"
	for before, after := range map[string]string{
		"":                                       ours,
		"a.b/c v1.0.0 h1:x\nz.b/c v1.0.0 h1:x\n": "a.b/c v1.0.0 h1:x\n" + ours + "z.b/c v1.0.0 h1:x\n",
		ours:                                     ours,
	} {
		if got := string(withSums([]byte(before), d)); got != after {
			t.Errorf("%q gets %q", before, got)
		}
	}
}
