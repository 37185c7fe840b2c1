// Package page writes the findings of a run as one HTML file that a browser
// opens from disk: nothing in it is loaded from elsewhere. It knows how findings
// look to a reviewer; it knows nothing of how they came about.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/printable"
)

//go:embed page.html
var layout string

//go:embed style.css
var style string

//go:embed script.js
var script string

// A Page is what is on it.
type Page struct {
	// Title says what was looked at.
	Title string
	// Version is that of lockvet.
	Version string
	// About says which module was looked at, at which revision, and by which command.
	About []Fact
	// Document is what was found, and what was fixed.
	Document *report.Document
	// Read returns a file of the findings by its name in the document, nil where
	// it cannot be read.
	Read func(name string) []byte
	// ReadFixed returns a file as the fixed finding of that index saw it.
	ReadFixed func(index int, name string) []byte
}

// A Fact is a name and what it stands for.
type Fact struct{ Name, Text string }

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	folders := func(name string) []string { return strings.SplitAfter(name, "/") } // where a line may end
	t, err := template.New("page").Funcs(template.FuncMap{"show": printable.Text, "folders": folders}).Parse(layout)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p.view()); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// policy forbids the page everything but its own script and styles, so that
// nothing that stands in a source can be run or loaded.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
