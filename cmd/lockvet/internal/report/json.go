package report

import (
	"encoding/json"
	"io"
)

// JSON writes the document.
func JSON(w io.Writer, doc *Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(doc)
}
