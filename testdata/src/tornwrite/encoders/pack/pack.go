// Package pack encodes, and touches no file.
package pack

import (
	"encoding/json"
	"io"
)

// Write encodes into a writer.
func Write(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Stream does so with an encoder.
func Stream(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// Bytes returns what is encoded.
func Bytes(v any) ([]byte, error) { return json.MarshalIndent(v, "", " ") }
