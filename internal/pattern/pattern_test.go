package pattern_test

import (
	"slices"
	"testing"

	"github.com/lockvet/lockvet/internal/pattern"
)

func TestPattern(t *testing.T) {
	p := pattern.New(`guarded by (\w+)`)
	for text, want := range map[string][]string{
		"guarded by mu": {"guarded by mu", "mu"},
		"guarded by":    nil,
	} {
		if got := p.FindStringSubmatch(text); !slices.Equal(got, want) {
			t.Errorf("FindStringSubmatch(%q) = %q, want %q", text, got, want)
		}
		if got := p.MatchString(text); got != (want != nil) {
			t.Errorf("MatchString(%q) = %t", text, got)
		}
	}
}

func TestAnExpressionThatDoesNotCompileIsFoundByAnyTest(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New takes an expression that does not compile")
		}
	}()
	pattern.New(`(`)
}
