package effects

import (
	"strings"
	"testing"
)

// TestSeveralWriters checks that what goes to an open file and elsewhere goes to the
// file.
func TestSeveralWriters(t *testing.T) {
	for _, to := range []string{"io.MultiWriter(f, sum)", "io.MultiWriter(sum, f)", "io.MultiWriter(os.Stdout, sum, f)", "bufio.NewWriter(io.MultiWriter(sum, f))"} {
		f := body(t, `func f(r io.Reader, sum io.Writer) {
			f, _ := os.Create("p")
			io.Copy(`+to+`, r)
		}`)
		if got := trace(f); got != "truncate p, write p" {
			t.Errorf("%s: %s", to, got)
		}
	}
	f := body(t, `func f(r io.Reader, ws []io.Writer) {
		f, _ := os.Create("p")
		io.Copy(io.MultiWriter(ws...), r)
		f.Close()
	}`)
	if got := trace(f); strings.Contains(got, "write p") {
		t.Errorf("a list of writers: %s", got)
	}
}

// TestConfigureWritesNothing checks that setting an encoder up is no write.
func TestConfigureWritesNothing(t *testing.T) {
	f := body(t, `func f() {
		w, _ := os.OpenFile("p", os.O_APPEND|os.O_WRONLY, 0)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "")
		enc.Encode(1)
	}`)
	if got := trace(f); got != "append p, write p" {
		t.Error(got)
	}
}
