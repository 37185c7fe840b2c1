package supply

import (
	"bytes"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/bundle"
)

// TestLibrary: a copy has nothing that came into the standard library or the language later than it says.
func TestLibrary(t *testing.T) {
	later := laterThan(t, bundle.Library)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo "+bundle.Library+"\n"))
	names, err := bundle.Exported()
	if err != nil {
		t.Fatal(err)
	}
	files, err := bundle.Copy(names, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
		if bytes.Count(content, []byte("%w: %w")) > 0 {
			t.Errorf("%s wraps two errors at once, which is of Go 1.20", name)
		}
	}
	for _, system := range []string{"linux", "darwin", "solaris", "windows", "js"} {
		arch := "amd64"
		if system == "js" {
			arch = "wasm"
		}
		pkgs, err := packages.Load(&packages.Config{
			Mode: packages.LoadSyntax, Dir: dir, Env: append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "GOWORK=off", "CGO_ENABLED=0"),
		}, ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range pkgs[0].Errors {
			t.Errorf("%s: %v", system, e)
		}
		uses := 0
		for id, obj := range pkgs[0].TypesInfo.Uses {
			if obj.Pkg() == nil || obj.Pkg() == pkgs[0].Types {
				continue
			}
			uses++
			name := "pkg " + obj.Pkg().Path() + ", " + obj.Name()
			if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
				name = "pkg " + obj.Pkg().Path() + ", method (" + types.TypeString(fn.Signature().Recv().Type(), func(*types.Package) string { return "" }) + ") " + obj.Name()
			}
			if version := later[name]; version != "" {
				t.Errorf("%s: %s is of Go %s", pkgs[0].Fset.Position(id.Pos()), name, version)
			}
		}
		if uses == 0 {
			t.Errorf("%s: the copy uses nothing of the standard library", system)
		}
	}
}

// laterThan are the names of the standard library that came after a version of Go, each with the one that it
// came with.
func laterThan(t *testing.T, library string) map[string]string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "api", "go1.*.txt"))
	if err != nil || len(lists) == 0 {
		t.Skip("this Go came without the lists of what is new in each version")
	}
	names := make(map[string]string)
	for _, list := range lists {
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(list), "go"), ".txt")
		if !olderThan(library, version) {
			continue
		}
		data, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			pkg, what, _ := strings.Cut(line, ", ")
			if strings.Contains(pkg, "(") {
				continue // a system that is new has all of package syscall
			}
			if kind, rest, ok := strings.Cut(what, " "); ok && strings.HasPrefix(kind, "method") {
				if end := strings.IndexByte(rest[1:], '('); end > 0 {
					names[pkg+", method "+rest[:end+1]] = version
				}
			} else if ok {
				names[pkg+", "+strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" ([\n", r) })[0]] = version
			}
		}
	}
	return names
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCallsCopy(t *testing.T) {
	s, err := Choose(load.Config{}, &packages.Module{Path: "example.com/m", Dir: t.TempDir(), GoVersion: "1.16"}, Bundle, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`"example.com/m/internal/safeio"`: true, "safeio.WriteFile": true, "mu.Unlock()": false, "unsafeio": false,
	} {
		fix := &analysis.SuggestedFix{TextEdits: []analysis.TextEdit{{NewText: []byte(text)}}}
		if got := s.CallsCopy(fix); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if err := s.Compiles(); err == nil || !strings.Contains(err.Error(), "module example.com/m is of go 1.16") {
		t.Errorf("in a module of Go 1.16: %v", err)
	}
	for version, want := range map[string]bool{"1.15": false, "1.16": false, "1.17": true, "1.19": true, "1.20.3": true, "1.21": true, "1.21.0": true, "1.26": true, "": false} {
		s.Go = goVersion(&packages.Module{GoVersion: version})
		if got := s.Compiles() == nil; got != want {
			t.Errorf("Go %q builds a copy: %v", version, got)
		}
	}
}
