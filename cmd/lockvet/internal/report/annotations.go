package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockvet/lockvet/internal/printable"
)

// Annotations writes the findings as workflow commands of GitHub Actions, which
// shows them beside the code of a pull request.
func Annotations(w io.Writer, doc *Document) error {
	command := map[Severity]string{Error: "error", Warning: "warning", Note: "notice"}
	for _, f := range doc.listed() {
		place := fmt.Sprintf("file=%s,line=%d,col=%d", property(printable.Text(f.Pos.File)), f.Pos.Line, f.Pos.Column)
		if f.End != nil && f.End.File == f.Pos.File {
			place += fmt.Sprintf(",endLine=%d", f.End.Line)
		}
		message := strings.TrimSpace(f.Message + "\n" + schedule(&f))
		_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", command[f.Severity], place, property("lockvet "+f.Category), data(printable.Lines(message)))
		if err != nil {
			return err
		}
	}
	return nil
}

// data escapes a message as the workflow commands want it.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a value in front of the message.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
