package gclplugin

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// factsSetting is the one setting that is no flag of the analyzer.
const factsSetting = "facts"

// configure sets the analyzer's flags to the settings of the same names.
func configure(a *analysis.Analyzer, conf any) error {
	settings, err := register.DecodeSettings[map[string]any](conf)
	if err != nil {
		return fmt.Errorf("the settings are not names with values: %w", err)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := set(a, name, settings[name]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func set(a *analysis.Analyzer, name string, value any) error {
	if name == factsSetting {
		facts, ok := value.(bool)
		if !ok {
			return fmt.Errorf("setting %q is %v, want true or false", name, value)
		}
		if !facts {
			a.FactTypes = nil
		}
		return nil
	}
	f := a.Flags.Lookup(name)
	if f == nil {
		return fmt.Errorf("no setting is named %q; the settings are: %s", name, strings.Join(names(a), ", "))
	}
	text, ok := spell(f, value)
	if !ok {
		return fmt.Errorf("setting %q is %v, want %s", name, value, wanted(f))
	}
	if err := f.Value.Set(text); err != nil {
		return fmt.Errorf("setting %q: %w", name, err)
	}
	return nil
}

// names lists the settings there are: those that change what is reported.
func names(a *analysis.Analyzer) []string {
	list := []string{factsSetting}
	a.Flags.VisitAll(func(f *flag.Flag) {
		if f.Name != "candidates" {
			list = append(list, f.Name)
		}
	})
	slices.Sort(list)
	return list
}

// zero is a value of the type that a flag holds.
func zero(f *flag.Flag) any {
	if g, ok := f.Value.(flag.Getter); ok {
		return g.Get()
	}
	return ""
}

// spell is the value as the flag would be given it on a command line, if it is of
// the flag's type.
func spell(f *flag.Flag, value any) (string, bool) {
	switch zero(f).(type) {
	case bool:
		_, ok := value.(bool)
		return fmt.Sprint(value), ok
	case int:
		n, ok := value.(float64)
		return strconv.FormatFloat(n, 'f', -1, 64), ok
	case []string:
		if list, ok := value.([]any); ok {
			return strings.Join(texts(list), ","), len(texts(list)) == len(list)
		}
	}
	text, ok := value.(string)
	return text, ok
}

// texts are the elements that are text.
func texts(list []any) []string {
	var all []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func wanted(f *flag.Flag) string {
	switch zero(f).(type) {
	case bool:
		return "true or false"
	case int:
		return "a number"
	case []string:
		return "a list"
	}
	return "a text"
}
