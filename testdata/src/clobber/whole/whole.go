// Package whole replaces its files whole.
package whole

import (
	"encoding/json"
	"os"

	"gopkg.in/yaml.v3"

	"github.com/lockvet/lockvet/safeio"
)

// note adds to what no crash tears.
func note(name string) error {
	path := "/var/lib/agentd/seen.json"
	seen := map[string]bool{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &seen) /* warning */ // want `note takes a file that cannot be decoded for an empty one, and saves that over .*: one bad edit erases`
	}
	seen[name] = true
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `note loads`
}

// choose adds to what people edit, too.
func choose(name string) error {
	path := "/var/lib/agentd/chosen.yaml"
	chosen := map[string]bool{}
	if data, err := os.ReadFile(path); err == nil {
		_ = yaml.Unmarshal(data, &chosen) /* error */ // want `choose takes a file .*: one bad edit erases`
	}
	chosen[name] = true
	data, err := yaml.Marshal(chosen)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `choose loads`
}

// count adds to what the program alone writes, and tears itself.
func count(name string) error {
	path, counts := "/var/lib/agentd/counts.json", map[string]int{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &counts) /* warning */ // want `count takes a file .*: one torn read erases`
	}
	counts[name]++
	data, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `count truncates` `count loads`
}

// prefer adds to what a user has set.
func prefer(name string) error {
	path, prefs := "/var/lib/agentd/preferences.json", map[string]int{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &prefs) /* error */ // want `prefer takes a file`
	}
	prefs[name]++
	data, err := json.Marshal(prefs)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `prefer truncates` `prefer loads`
}

// adopt adds to settings that no crash tears.
func adopt(name string) error {
	path := "/var/lib/agentd/settings.json"
	adopted := map[string]bool{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &adopted) /* warning */ // want `adopt takes a file`
	}
	adopted[name] = true
	data, err := json.Marshal(adopted)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `adopt loads`
}

// login adds to what a copy would betray.
func login(name string) {
	path, tokens := "/var/lib/agentd/tokens.json", map[string]string{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &tokens) // want `login takes a file .*no fix: `
	}
	tokens[name] = name
	data, err := json.Marshal(tokens)
	if err != nil {
		return
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { // want `login truncates` `login loads`
		return
	}
}

// root names it in a directory that is open: safeio does not.
func root(r *os.Root, name string) {
	counts := map[string]int{}
	if data, err := r.ReadFile("counts.json"); err == nil {
		_ = json.Unmarshal(data, &counts) // want `root takes a file .*no fix: `
	}
	counts[name]++
	data, err := json.Marshal(counts)
	if err != nil {
		return
	}
	if err := r.WriteFile("counts.json", data, 0o600); err != nil { // want `root rewrites` `root loads`
		return
	}
}

// hidden has another path where it cannot decode the file, and decoded yields more than an error.
func hidden(name string) {
	path, counts := "/var/lib/agentd/hidden.json", map[string]int{}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if path := json.Unmarshal(data, &counts); path != nil { // want `hidden takes a file .*no fix: `
		counts["broken"]++
	}
	counts[name]++
	if data, err = json.Marshal(counts); err != nil {
		return
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { // want `hidden truncates` `hidden loads`
		return
	}
}
