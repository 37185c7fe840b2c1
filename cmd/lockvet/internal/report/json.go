package report

import (
	"encoding/json"
	"io"
)

// JSON writes the document.
func JSON(w io.Writer, doc *Document) error { return Encode(w, doc) }

// Encode writes a value as all documents for programs are written.
func Encode(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(doc)
}
