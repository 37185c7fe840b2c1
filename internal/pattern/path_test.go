package pattern_test

import (
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/pattern"
)

func TestPath(t *testing.T) {
	for _, tt := range []struct{ path, matches, others string }{
		{"a/b", "a/b a/b/c a/b/c/d", "a a/bc x/a/b"},
		{"**/*_gen.go", "x_gen.go a/x_gen.go a/b/x_gen.go", "x_gen.goo a/x_gen"},
		{"a/**", "a/b a/b/c", "ab b"},
		{"**", "a a/b", ""},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"*/b?", "a/bc x/bd", "a/b a/x/bc a/b/c/bd"},
		{"[a-c]x", "ax cx", "dx"},
		{"[^a-c]x", "dx", "ax /x"},
		{"[!a]x", "bx", "ax"},
		{"{a,b/c}.go", "a.go b/c.go", "b.go c.go"},
		{"x{a,{b,c}}", "xa xb xc", "x xd"},
		{"{**/a,b}/c", "a/c x/a/c b/c", "x/b/c"},
		{"a,b.go", "a,b.go", "a,bxgo"},
		{`a\*\{`, "a*{", "ab{"},
		{"é+(.go", "é+(.go", "éé(.go"},
	} {
		re, err := pattern.Path(tt.path)
		if err != nil {
			t.Error(err)
			continue
		}
		for name := range strings.FieldsSeq(tt.matches) {
			if !re.MatchString(name) {
				t.Errorf("%s does not match %s", tt.path, name)
			}
		}
		for name := range strings.FieldsSeq(tt.others) {
			if re.MatchString(name) {
				t.Errorf("%s matches %s", tt.path, name)
			}
		}
	}
	for _, text := range []string{"a[", "[]", "{a", `a\`, "[b-a]", "[/]"} {
		if _, err := pattern.Path(text); err == nil {
			t.Errorf("%.20s is a pattern", text)
		}
	}
}

// TestPathsAreNotExpanded: a pattern with braces stands for more names than could be listed, and
// backtracking would try as many ways to match it.
func TestPathsAreNotExpanded(t *testing.T) {
	for _, text := range []string{strings.Repeat("{a,a}", 40) + "b", strings.Repeat("*{a}", 40) + "b", strings.Repeat("{1..999999999}", 9)} {
		re, err := pattern.Path(text)
		if err != nil {
			t.Error(err)
		} else if re.MatchString(strings.Repeat("a", 200)) {
			t.Errorf("%s matches", text)
		}
	}
}
