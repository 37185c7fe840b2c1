// Package output writes files that somebody else names.
package output

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
)

type plan struct{ Steps []string }

var (
	planFile  string
	stateFile string
)

func init() {
	flag.StringVar(&planFile, "output", "", "where the plan goes")
	flag.StringVar(&stateFile, "state", "/var/lib/agentd/plan.json", "where the state is")
}

func target() string {
	if planFile != "" {
		return planFile
	}
	return "plan.json"
}

func load(path string) (p plan, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, &p)
}

// Show reads what an earlier run has made.
func Show() (plan, error) { return load(target()) }

// Make yields a plan.
func Make(steps []string) error {
	data, err := json.Marshal(plan{steps})
	if err != nil {
		return err
	}
	return os.WriteFile(target(), data, 0o644) /* warning */ // want `Make truncates`
}

// Extend changes the plan that is there.
func Extend(step string) error {
	p, err := load(target())
	if err != nil {
		return err
	}
	p.Steps = append(p.Steps, step)
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(target(), data, 0o644) // want `Extend truncates` `Extend loads`
}

func result() string {
	if v := os.Getenv("AGENT_RESULT"); v != "" {
		return v
	}
	return "result.json"
}

// Result reads what a stage has yielded.
func Result() (plan, error) { return load(result()) }

// Stage yields a result to who has started it.
func Stage(steps []string) error {
	data, err := json.Marshal(plan{steps})
	if err != nil {
		return err
	}
	return os.WriteFile(result(), data, 0o644) /* warning */ // want `Stage truncates`
}

type command struct{ args []string }

type getter struct{ command command }

// Get yields a plan where the command is told to, if there is no longer one.
func (g *getter) Get(p plan) error {
	file := g.command.args[1]
	if old, err := load(file); err == nil && len(old.Steps) > len(p.Steps) {
		return nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644) /* warning */ // want `Get truncates`
}

// config is a place of the program's own where nobody names one.
func config() (string, error) {
	if v := os.Getenv("AGENT_CONFIG"); v != "" {
		return v, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".agent", "plan.json"), nil
}

// Configured reads it.
func Configured() (plan, error) {
	path, err := config()
	if err != nil {
		return plan{}, err
	}
	return load(path)
}

// Configure replaces it.
func Configure(steps []string) error {
	path, err := config()
	if err != nil {
		return err
	}
	data, err := json.Marshal(plan{steps})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) /* error */ // want `Configure truncates`
}

// State reads what the daemon keeps.
func State() (plan, error) { return load(stateFile) }

// Keep keeps it where the flag has a default.
func Keep(steps []string) error {
	data, err := json.Marshal(plan{steps})
	if err != nil {
		return err
	}
	return os.WriteFile(stateFile, data, 0o600) /* error */ // want `Keep truncates`
}
