package gclplugin

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/config"
	"github.com/lockvet/lockvet/internal/nearest"
)

// The settings that are no flags of the analyzer.
const (
	factsSetting  = "facts"
	configSetting = "config"
)

// configure sets the analyzer's flags to what .lockvet.yaml says, and then to the settings
// of the same names, which count more. It returns that file.
func configure(a *analysis.Analyzer, conf any) (*config.File, error) {
	settings, err := register.DecodeSettings[map[string]any](conf)
	if err != nil {
		return nil, fmt.Errorf("the settings are not names with values: %w", err)
	}
	file, err := configured(settings[configSetting])
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range fileSettings(file) {
		if err := a.Flags.Set(s.Name, s.Value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", file.Name, s.Name, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := set(a, name, settings[name]); err != nil {
			errs = append(errs, err)
		}
	}
	return file, errors.Join(errs...)
}

// configured is the configuration that a setting names, or the one of the directory of
// the run.
func configured(setting any) (*config.File, error) {
	switch name := setting.(type) {
	case nil:
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		return config.Find(dir)
	case string:
		if name == "off" {
			return &config.File{}, nil
		}
		return config.Read(name)
	}
	return nil, fmt.Errorf("setting %q is %v, want the name of a file, or off", configSetting, setting)
}

// fileSettings are the flags that a configuration sets.
func fileSettings(f *config.File) []config.Setting {
	all := f.Settings()
	if f.Tests {
		all = append(all, config.Setting{Name: "tests", Value: "true"})
	}
	if f.Safeio != "" && f.Safeio != "bundle" { // golangci-lint copies nothing
		all = append(all, config.Setting{Name: "safeio", Value: f.Safeio})
	}
	return all
}

func set(a *analysis.Analyzer, name string, value any) error {
	if name == configSetting {
		return nil // it was read
	}
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
		_, err := nearest.Of("setting", name, names(a))
		return err
	}
	text, ok := config.FlagText(value)
	if _, isList := value.([]any); isList && !takesList(f) || !ok {
		return fmt.Errorf("setting %q cannot be %v", name, value)
	}
	err := f.Value.Set(text)
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); err != nil && ok && b.IsBoolFlag() {
		return fmt.Errorf("setting %q is %v, want true or false", name, value)
	}
	if err != nil {
		return fmt.Errorf("setting %q: %w", name, err)
	}
	return nil
}

// names lists the settings there are: those that change what is reported.
func names(a *analysis.Analyzer) []string {
	list := []string{factsSetting, configSetting}
	a.Flags.VisitAll(func(f *flag.Flag) {
		if f.Name != "candidates" {
			list = append(list, f.Name)
		}
	})
	slices.Sort(list)
	return list
}

// takesList reports whether a flag takes a list, with commas.
func takesList(f *flag.Flag) bool {
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return false
	}
	_, ok = g.Get().([]string)
	return ok
}
