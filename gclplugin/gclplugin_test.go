package gclplugin_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/lockvet/lockvet/analyzer"
	_ "github.com/lockvet/lockvet/gclplugin"
	"github.com/lockvet/lockvet/internal/fixtures"
)

// build makes the analyzer as golangci-lint does from its settings.
func build(conf any) (*analysis.Analyzer, error) {
	plugin, err := register.GetPlugin("lockvet")
	if err != nil {
		return nil, err
	}
	linter, err := plugin(conf)
	if err != nil {
		return nil, err
	}
	all, err := linter.BuildAnalyzers()
	if err != nil {
		return nil, err
	}
	return all[0], analysis.Validate(all)
}

func TestSettings(t *testing.T) {
	for _, conf := range []any{nil, map[string]any{}} {
		a, err := build(conf)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.FactTypes) == 0 {
			t.Errorf("with the settings %v there are no facts", conf)
		}
	}
	a, err := build(map[string]any{
		"enable":   []any{"tornwrite", "latelock"},
		"disable":  "clobber,tornappend",
		"fix-only": []any{},
		"state":    "^black",
		"safeio":   "example.com/agentd/internal/safeio",
		"tests":    true,
		"budget":   1000000,
		"facts":    false,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"enable": "tornwrite,latelock", "disable": "clobber,tornappend", "fix-only": "", "state": "^black",
		"safeio": "example.com/agentd/internal/safeio", "tests": "true", "budget": "1000000",
	} {
		if got := a.Flags.Lookup(name).Value.String(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(a.FactTypes) != 0 {
		t.Error("facts: false leaves the analyzer its facts")
	}
}

func TestSettingErrors(t *testing.T) {
	for _, c := range []struct {
		conf any
		want string
	}{
		{map[string]any{"enabel": []any{"tornwrite"}}, `there is no setting "enabel"; did you mean "enable"?`},
		{map[string]any{"enable": []any{"tornwrit"}}, `setting "enable": there is no check "tornwrit"; did you mean "tornwrite"?`},
		{map[string]any{"enable": []any{"tornwrite", 1}}, `setting "enable" cannot be [tornwrite 1]`},
		{map[string]any{"enable": true}, `setting "enable": there is no check "true"`},
		{map[string]any{"state": "("}, `setting "state": error parsing regexp: missing closing )`},
		{map[string]any{"state": []any{"a", "b"}}, `setting "state" cannot be [a b]`},
		{map[string]any{"tests": "yes"}, `setting "tests" is yes, want true or false`},
		{map[string]any{"budget": "many"}, `setting "budget": "many" is no number of steps`},
		{map[string]any{"budget": 1.5}, `setting "budget": "1.5" is no number of steps`},
		{map[string]any{"facts": "false"}, `setting "facts" is false, want true or false`},
		{map[string]any{"state": "(", "facts": 1}, `setting "facts" is 1, want true or false`},
		{[]any{"tornwrite"}, "the settings are not names with values"},
	} {
		if _, err := build(c.conf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("settings %v: %v, want %s", c.conf, err, c.want)
		}
	}
}

// TestDiagnostics runs fixtures of a check: what they want is said in a message
// that needs nothing beside it.
func TestDiagnostics(t *testing.T) {
	a, err := build(map[string]any{"facts": false, "state": `state`})
	if err != nil {
		t.Fatal(err)
	}
	dir := fixtures.GOPATH(t, "../testdata")
	category := regexp.MustCompile(`^(` + strings.Join(analyzer.Checks(), "|") + `)/\w+: `)
	reason := regexp.MustCompile(`; holds state: .+`)
	texts := map[string]bool{}
	for _, r := range analysistest.Run(t, dir, a, "tornwrite/inplace") {
		for _, d := range r.Diagnostics {
			if !category.MatchString(d.Message) || !reason.MatchString(d.Message) {
				t.Errorf("a message names no category, or gives no reason: %s", d.Message)
			}
			if len(d.Related) > 0 {
				t.Errorf("golangci-lint would make %d more issues of: %s", len(d.Related), d.Message)
			}
			if texts[d.Message] {
				t.Errorf("two read the same: %s", d.Message)
			}
			texts[d.Message] = true
		}
	}
	if len(texts) < 5 {
		t.Errorf("%d diagnostics: too few to tell", len(texts))
	}
}
