package load

import (
	"encoding/json"
	"os"
)

type transcript struct {
	Path  string
	Raw   []byte
	Files []string
}

// readTranscript keeps what it has read, whether it can decode it or not.
func readTranscript(path string) (*transcript, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var files []string
	if err := json.Unmarshal(raw, &files); err != nil { // ok
		files = nil
	}
	return &transcript{Path: path, Raw: raw, Files: files}, nil
}

// WriteTranscript writes it as it was.
func WriteTranscript(t *transcript) error {
	return replace(t.Path, t.Raw)
}
