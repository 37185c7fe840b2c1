package supply

import (
	"slices"
	"testing"
)

func TestCalled(t *testing.T) {
	const importPath = "example.com/m/internal/safeio"
	for _, c := range []struct {
		src, of string
		want    []string
	}{
		{"package p\nimport io \"" + importPath + "\"\nfunc f() { io.WriteFile(\"a\", nil, 0); g.Lock() }\n", importPath, []string{"WriteFile"}},
		{"package p\nimport io \"" + importPath + "\"\nfunc f() { io.Options{Strict: true}.TryLock(\"a\") }\n", importPath, []string{"Options"}},
		{"package p\nimport io \"" + importPath + "\"\nfunc f() { io.WriteFile(\"a\", nil, 0) }\n", "example.com/other", nil},
		{"package", importPath, nil},
	} {
		if got := Called([]byte(c.src), c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s\ncalls %v, want %v", c.src, got, c.want)
		}
	}
}
