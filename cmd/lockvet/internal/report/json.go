package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/lockvet/lockvet/internal/printable"
)

// Encode writes a value as all documents for programs are written.
func Encode(w io.Writer, doc any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(printable.JSON(out.Bytes()))
	return err
}
