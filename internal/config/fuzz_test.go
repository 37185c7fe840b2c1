package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/untrusted"
)

// FuzzConfig: whatever a repository has for a configuration, reading it ends soon, with a
// configuration that can be used or with an error that names the file.
func FuzzConfig(f *testing.F) {
	f.Add(whole)
	f.Add("enable: !!x y\n")
	f.Add("exclude:\n- path: '" + strings.Repeat("{a,b}", 30) + "'\n  reason: r\n")
	f.Add("exclude:\n- path: '" + strings.Repeat("*{a}", 50) + "b'\n  reason: r\n")
	f.Add("exclude:\n- path: '" + strings.Repeat("{1..9}", 50) + "'\n  reason: r\n")
	for _, nested := range []string{"[", "{a: ", "- ", "? ", "a:\n ", "&a ", "!!x ", "\"", "'", "[[]", "enable: [", "*a "} {
		f.Add(strings.Repeat(nested, 100_000/len(nested)))
	}
	f.Add("enable: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	bomb := "enable: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for _, i := range "123456789" {
		bomb += "e" + string(i) + ": &a" + string(i) + " [" + strings.Repeat("*a"+string(i-1)+", ", 9) + "x]\n"
	}
	f.Add(bomb)
	f.Add("enable: &a [*a]\n")
	f.Add("<<: {enable: [x]}\n")
	f.Add("severity: {[a, b]: error}\n")
	f.Add("severity: {error}\nsafeio: |\n  a\n\tb\n")
	f.Add("state: ['" + strings.Repeat("(a{1000}){1000}", 20) + "']\n")
	f.Add("enable: [\x1b\xff\u202e]\n")
	f.Add("tests: true\n---\n...\n---\nenable: [\n")
	f.Add(strings.Repeat("k: v\n", untrusted.MaxYAML/4))
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		name := write(t, dir, Names[0], text)
		file, err := Find(dir)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		file.Settings()
		file.Idle()
		file.Excludes(filepath.Join(dir, strings.Repeat("a", 100)+".go"), "tornwrite/inplace")
	})
}
