package fixes

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestCost: planning the fixes of a file costs as much as there are, not as much as each
// of them times the file. What is allocated stands for the time.
func TestCost(t *testing.T) {
	for _, test := range []struct{ name, rest string }{
		{"separate", "var exit = os.Exit\n"},
		{"joint", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			few, many := planning(t, test.rest, 200), planning(t, test.rest, 800)
			if many > 5*few {
				t.Errorf("%d bytes for 200 findings in a file, %d for 800", few, many)
			}
		})
	}
}

// planning is how many bytes the planning of n fixes in one file allocates.
func planning(t *testing.T, rest string, n int) uint64 {
	p, err := check([]byte("package p\n\nimport \"os\"\n\n" + rest + saves(n)))
	if err != nil {
		t.Fatal(err)
	}
	fs := findings(p.pass)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fixes := planned(p, fs)
	runtime.ReadMemStats(&after)
	if len(fixes) != n {
		t.Fatalf("%d fixes of %d findings", len(fixes), n)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// saves are n functions with one finding each.
func saves(n int) string {
	texts := []string{
		"\nfunc save%d(path string, data []byte) error {\n\t// It is small.\n\treturn os.WriteFile(path, data, 0o600)\n}\n",
		"\nfunc save%d(path string, data []byte) error {\n\ttmp := path + \".tmp\"\n\tif err := os.WriteFile(tmp, " +
			"data, 0o600); err != nil {\n\t\treturn err\n\t}\n\treturn os.Rename(tmp, path)\n}\n",
		"\nfunc save%d(path string, data []byte) error {\n\tf, err := os.Create(path)\n\tif err != nil {\n\t\treturn " +
			"err\n\t}\n\tdefer f.Close()\n\t_, err = f.Write(data)\n\treturn err\n}\n",
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, texts[i%len(texts)], i)
	}
	return b.String()
}
