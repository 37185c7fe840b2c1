// Package severity has reports of which a rule makes less.
package severity

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
)

type depot struct{ dir string }

func encoded(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// warm writes what is fetched again.
func (d *depot) warm(v any) error {
	path := filepath.Join(d.dir, "prefetch.json")
	return os.WriteFile(path, encoded(v), 0o600) // want `\(\*depot\)\.warm truncates d\.dir/prefetch\.json`
}

func (d *depot) cold() (v any, err error) { return decoded(filepath.Join(d.dir, "prefetch.json")) }

func (d *depot) accounts() (v any, err error) { return decoded(filepath.Join(d.dir, "accounts.json")) }

func (d *depot) published(id string) (v any, err error) {
	return decoded(filepath.Join(d.dir, id+".json"))
}

func decoded(path string) (v any, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(b, &v)
}

// migrate runs once.
func (d *depot) migrate(v any) error {
	path := filepath.Join(d.dir, "accounts.json")
	return os.WriteFile(path, encoded(v), 0o600) // want `\(\*depot\)\.migrate truncates d\.dir/accounts\.json`
}

// ServeHTTP publishes what somebody sends, beside others.
func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := d.publish(r.FormValue("id"), r.Form); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// publish writes one of many files.
func (d *depot) publish(id string, v any) error {
	tmp := filepath.Join(d.dir, id+".json.tmp")
	if err := os.WriteFile(tmp, encoded(v), 0o600); err != nil { // want `a name that every writer shares`
		return err
	}
	return os.Rename(tmp, filepath.Join(d.dir, id+".json"))
}

// saveLedger copies what is still there.
func (d *depot) saveLedger(from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, "ledger.json")
	return os.WriteFile(path, b, 0o600) // want `\(\*depot\)\.saveLedger truncates d\.dir/ledger\.json`
}

func (d *depot) loadLedger() (v any, err error) {
	b, err := os.ReadFile(filepath.Join(d.dir, "ledger.json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(b, &v)
}

// saveToggle writes one of two texts.
func (d *depot) saveToggle(on bool) error {
	answer := "false"
	if on {
		answer = "true"
	}
	path := filepath.Join(d.dir, "toggle.conf")
	return os.WriteFile(path, []byte(answer), 0o600) // want `\(\*depot\)\.saveToggle truncates d\.dir/toggle\.conf`
}

func (d *depot) loadToggle() ([]byte, error) { return os.ReadFile(filepath.Join(d.dir, "toggle.conf")) }

// A spool is filled from a database when the program starts.
type spool struct{ dir string }

func (s *spool) restore(accounts map[string]any) error {
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	for id, account := range accounts {
		if err := os.WriteFile(filepath.Join(s.dir, id+".json"), encoded(account), 0o600); err != nil { // want `\(\*spool\)\.restore truncates a file`
			return err
		}
	}
	return nil
}

func (s *spool) load(id string) (v any, err error) { return decoded(filepath.Join(s.dir, id+".json")) }
