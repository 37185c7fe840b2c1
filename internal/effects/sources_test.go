package effects

import (
	"testing"
)

func TestSaves(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"in place", `func f(path string, b []byte) { os.WriteFile(path, b, 0o600) }`, "path"},
		{"through a handle", `func f(path string, b []byte) { h, _ := os.Create(path); h.Write(b); h.Close() }`, "path"},
		{"renamed", `func f(path string, b []byte) { os.WriteFile(path+".tmp", b, 0o600); os.Rename(path+".tmp", path) }`, "path rename"},
		{"renamed in a goroutine", `func f(path string, b []byte) { go func() { os.WriteFile(path+".tmp", b, 0o600); os.Rename(path+".tmp", path) }() }`, "path rename"},
		{"appended", `func f(path string, b []byte) { h, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); h.Write(b) }`, ""},
		{"opened elsewhere", `func f(h *os.File, b []byte) { h.Write(b) }`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := body(t, tt.src)
			got := ""
			for _, e := range f.Effects {
				if file, last := f.Saves(e); file != nil {
					got = file.String()
					if last != e {
						got += " rename"
					}
				}
			}
			if got != tt.want {
				t.Errorf("saves %q, want %q", got, tt.want)
			}
		})
	}
}
