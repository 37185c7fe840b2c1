// Package severity appends records in two pieces.
package severity

import (
	"encoding/json"
	"net/http"
	"os"
)

type call struct{ Path string }

// note is called by one who runs the program.
func note(path string) error {
	f, err := os.OpenFile("/var/lib/agentd/calls.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(call{path})
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil { /* warning */ // want `note appends a record`
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

// ServeHTTP appends with all who are served at the same time.
func (c call) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, err := os.OpenFile("/var/lib/agentd/served.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	data, err := json.Marshal(call{r.URL.Path})
	if err != nil {
		return
	}
	if _, err := f.Write(data); err != nil { /* error */ // want `ServeHTTP appends a record`
		return
	}
	if _, err := f.WriteString("\n"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

var _ = note
