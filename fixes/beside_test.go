package fixes

import (
	"go/token"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/finding"
)

// TestMeets has edits that one fix makes elsewhere beside those of another.
func TestMeets(t *testing.T) {
	edit := func(from, to token.Pos, text string) analysis.TextEdit {
		return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
	}
	beside := []analysis.TextEdit{edit(10, 13, ""), edit(20, 26, "WriteFile")}
	for _, test := range []struct {
		name  string
		other analysis.TextEdit
		want  bool
	}{
		{"the same", edit(20, 26, "WriteFile"), false},
		{"another text", edit(20, 26, "Create"), true},
		{"within", edit(22, 23, "x"), true},
		{"around", edit(5, 40, "x"), true},
		{"at its end", edit(26, 26, "x"), true},
		{"between", edit(15, 18, "x"), false},
	} {
		if got := meets(beside, []analysis.TextEdit{test.other}); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestPlanApart has a fix that changes elsewhere what another one changes otherwise: it is not made.
func TestPlanApart(t *testing.T) {
	one := &finding.Finding{Fix: &analysis.SuggestedFix{}, Beside: []analysis.TextEdit{{Pos: 5, End: 9}}}
	two := &finding.Finding{Fix: &analysis.SuggestedFix{TextEdits: []analysis.TextEdit{{Pos: 7, End: 12}}}}
	Plan(Pass{}, []*finding.Finding{one, two})
	if one.Fix != nil || one.NoFix == "" || two.Fix == nil {
		t.Errorf("%v %q, %v", one.Fix, one.NoFix, two.Fix)
	}
}
