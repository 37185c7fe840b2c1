//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/lsptest"
)

// BenchmarkSave saves one file in a program of 100 packages and waits for its diagnostics:
// what that takes, as a ratio of what it takes to load the package after such a change. The
// package is in the middle: it imports others, and half of all import it.
func BenchmarkSave(b *testing.B) {
	const packages, middle = 100, 50
	b.Setenv(cacheVariable, b.TempDir())
	dir := b.TempDir()
	write := func(name, content string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	for n := range packages {
		write(fmt.Sprintf("p%d/p.go", n), benchSource(n, 0))
	}
	write("main.go", fmt.Sprintf("package main\n\nimport \"example.com/m/p%d\"\n\nfunc main() { p%[1]d.Use() }\n", packages-1))
	name := filepath.Join(dir, fmt.Sprintf("p%d", middle), "p.go")

	e := connect(b)
	if err := e.Initialize(lsptest.Full(), nil); err != nil {
		b.Fatal(err)
	}
	published := 0
	told := func(n int) {
		published += n
		e.Wait("diagnostics", func(told lsptest.Told) bool {
			return told.Published[name] >= published && len(told.Diagnostics[name]) > 0
		})
	}
	e.Open(name)
	told(2) // of the package by itself, and with all that import it
	var loads, saves time.Duration
	for i := 0; b.Loop(); i++ {
		write(fmt.Sprintf("p%d/p.go", middle), benchSource(middle, 2*i+1))
		start := time.Now()
		if _, err := (load.Config{Dir: dir}).Packages(fmt.Sprintf("./p%d", middle)); err != nil {
			b.Fatal(err)
		}
		loads += time.Since(start)
		e.Type(name, benchSource(middle, 2*i+2))
		start = time.Now()
		e.Save(name)
		told(1)
		saves += time.Since(start)
		told(1)
	}
	b.ReportMetric(loads.Seconds()*1000/float64(b.N), "ms/load")
	b.ReportMetric(saves.Seconds()*1000/float64(b.N), "ms/save")
	b.ReportMetric(saves.Seconds()/loads.Seconds(), "save/load")
	if err := e.Exit(); err != nil {
		b.Error(err)
	}
}

// benchSource is the source of a package that keeps a session in a file.
func benchSource(n, edition int) string {
	imports, uses := "", ""
	for _, m := range slices.Compact([]int{n / 2, n - 1}) {
		if 0 <= m && m < n {
			imports += fmt.Sprintf("\t\"example.com/m/p%d\"\n", m)
			uses += fmt.Sprintf("\tp%d.Use()\n", m)
		}
	}
	return fmt.Sprintf(`package p%d

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

%s)

// Session is what is kept.
type Session struct {
	Name  string
	Hosts []http.Header
}

func path(dir string) string { return filepath.Join(dir, "session%[1]d.json") }

// Load reads the session.
func Load(dir string) (s Session, err error) {
	data, err := os.ReadFile(path(dir))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// Save writes it.
func Save(dir string, s Session) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path(dir), data, 0o600)
}

// Use adds to it.
func Use() {
	s, err := Load(".")
	if err != nil {
		return
	}
	s.Name += "%[3]d"
	if err := Save(".", s); err != nil {
		panic(err)
	}
%[4]s}
`, n, imports, edition, uses)
}
