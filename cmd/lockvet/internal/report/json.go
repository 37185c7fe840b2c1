package report

import (
	"encoding/json"
	"go/token"
	"io"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// jsonVersion grows when a field changes its meaning or goes. New fields do
// not change it.
const jsonVersion = 1

type jsonDocument struct {
	Version  int           `json:"version"`
	Findings []jsonFinding `json:"findings"`
	Mended   []jsonFinding `json:"mended,omitempty"`
}

type jsonFinding struct {
	Check    string         `json:"check"`
	Category string         `json:"category"`
	Pos      *jsonPos       `json:"pos"`
	End      *jsonPos       `json:"end"`
	Func     string         `json:"func"`
	Message  string         `json:"message"`
	Claim    string         `json:"claim"`
	Evidence []jsonEvidence `json:"evidence"`
	Schedule []jsonStep     `json:"schedule"`
	Fix      *jsonFix       `json:"fix"`
	NoFix    string         `json:"noFix"`
}

type jsonPos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type jsonEvidence struct {
	Pos  *jsonPos `json:"pos"`
	Text string   `json:"text"`
}

type jsonStep struct {
	Actor string   `json:"actor"`
	Pos   *jsonPos `json:"pos"`
	Does  string   `json:"does"`
	File  string   `json:"file"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

// A jsonEdit replaces the bytes from Start up to End of a file.
type jsonEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// JSON writes one document with the findings, and with those that were mended
// if there are any.
func (p Printer) JSON(w io.Writer, found, mended []*analyse.Found) error {
	doc := jsonDocument{Version: jsonVersion, Findings: []jsonFinding{}}
	for _, f := range found {
		doc.Findings = append(doc.Findings, p.jsonFinding(f))
	}
	for _, f := range mended {
		doc.Mended = append(doc.Mended, p.jsonFinding(f))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(doc)
}

func (p Printer) jsonFinding(f *analyse.Found) jsonFinding {
	fset := f.Pkg.Fset
	j := jsonFinding{
		Check:    f.Check,
		Category: f.Category(),
		Pos:      p.jsonPos(fset, f.Pos),
		End:      p.jsonPos(fset, f.End),
		Func:     f.Func,
		Message:  f.Sentence,
		Claim:    f.Heading(),
		Evidence: []jsonEvidence{},
		Schedule: []jsonStep{},
		NoFix:    f.NoFix,
	}
	for _, e := range f.Evidence {
		j.Evidence = append(j.Evidence, jsonEvidence{p.jsonPos(fset, e.Pos), e.Text})
	}
	for _, s := range f.Schedule {
		j.Schedule = append(j.Schedule, jsonStep{s.Actor, p.jsonPos(fset, s.Pos), s.Does, s.File})
	}
	if f.Fix != nil {
		j.Fix = &jsonFix{Message: f.Fix.Message, Edits: []jsonEdit{}}
		for _, e := range f.Fix.TextEdits {
			file := fset.File(e.Pos)
			end := e.End
			if !end.IsValid() {
				end = e.Pos
			}
			j.Fix.Edits = append(j.Fix.Edits, jsonEdit{p.Path(file.Name()), file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
	}
	return j
}

func (p Printer) jsonPos(fset *token.FileSet, pos token.Pos) *jsonPos {
	if !pos.IsValid() {
		return nil
	}
	at := fset.Position(pos)
	return &jsonPos{p.Path(at.Filename), at.Line, at.Column}
}
