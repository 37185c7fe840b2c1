// Package ofitself keeps files about the program.
package ofitself

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type batch struct{ Commands []string }

func load(path string) (b batch, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

// Telemetry reads what saveTelemetry writes.
func Telemetry(dir string) (batch, error) { return load(filepath.Join(dir, "batch.json")) }

func saveTelemetry(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "batch.json"), data, 0o600) /* warning */ // want `saveTelemetry truncates`
}

// Checked reads what saveVersionCheck writes.
func Checked(dir string) (batch, error) { return load(filepath.Join(dir, "versions.json")) }

func saveVersionCheck(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "versions.json"), data, 0o600) /* warning */ // want `saveVersionCheck truncates`
}

// Versions reads what saveVersions writes: a history of what the user keeps.
func Versions(dir string) (batch, error) { return load(filepath.Join(dir, "kept.json")) }

// An entry is what is known of newer versions.
type entry struct {
	CheckedForUpdateAt string
	LatestRelease      batch
}

func loadEntry(dir string) (e entry, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "state.json"))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(data, &e)
}

func setEntry(dir, at string, latest batch) error {
	data, err := json.Marshal(entry{CheckedForUpdateAt: at, LatestRelease: latest})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o600) /* warning */ // want `setEntry truncates`
}

// Options are settings, of which one field is about updates.
type options struct {
	CheckedForUpdateAt string
	Theme              string
}

func loadOptions(dir string) (o options, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "options.json"))
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(data, &o)
}

func setOptions(dir string, o options) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "options.json"), data, 0o600) /* error */ // want `setOptions truncates`
}

func saveVersions(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kept.json"), data, 0o600) /* error */ // want `saveVersions truncates`
}

// Analytics reads what saveAnalytics writes.
func Analytics(dir string) (batch, error) { return load(filepath.Join(dir, "id.json")) }

func saveAnalytics(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "id.json"), data, 0o600) /* warning */ // want `saveAnalytics truncates`
}

// A copyState has what the copy of a program is counted by, beside the newest release.
type copyState struct {
	InstallID        string
	LatestRelease    string
	ReleaseCheckedAt string
}

func loadCopy(dir string) (c copyState, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "copy.json"))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func saveCopy(dir string, c copyState) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "copy.json"), data, 0o600) /* warning */ // want `saveCopy truncates`
}

var _ = saveCopy
