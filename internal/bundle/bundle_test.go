package bundle

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestSize: who reviews a copy has so much to read, and no more, as docs/design.md says.
func TestSize(t *testing.T) {
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row         string
		names       []string
		files, most int
	}{
		{"`WriteFile`, `Create`", []string{"Create", "WriteFile", "Nonsense"}, 3, 300},
		{"`WriteFile`, `Create`", []string{"WriteFile"}, 3, 300},
		{"`Replace`", []string{"Replace"}, 4, 330},
		{"`Lock`", []string{"Lock", "RLock", "TryLock"}, 7, 560},
		{"`Update`", []string{"Update"}, 8, 610},
		{"`Append`", []string{"Append"}, 8, 660},
		{"`Lock`, `Update` and `Append`", []string{"Lock", "Update", "Append"}, 9, 700},
	} {
		files, err := Copy(c.names, "v1.0.0", "")
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for name, src := range files {
			lines += bytes.Count(src, []byte("\n"))
			if !bytes.HasPrefix(src, []byte(Header)) {
				t.Errorf("%s begins with %.60q", name, src)
			}
		}
		if lines > c.most || len(files) != c.files {
			t.Errorf("the copy for %v has %d lines in %d files, more than %d in %d", c.names, lines, len(files), c.most, c.files)
		}
		if row := fmt.Sprintf("\n| %s | %d | %d |\n", c.row, lines, len(files)); !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/design.md has no row %s", row)
		}
	}
}

// TestCopies: whatever code names, the copy for that compiles by itself, has it, and uses nothing that came later than the
// Go that it is for.
func TestCopies(t *testing.T) {
	names, err := Exported()
	if err != nil {
		t.Fatal(err)
	}
	sets := [][]string{names, nil, {"Replace"}, {"Options"}, {"TryRLock"}, {"Update"}, {"Append"}, {"lock_unix.go"}}
	for _, goVersion := range []string{"1.17", Library} {
		_, minor, _ := strings.Cut(goVersion, ".")
		n, err := strconv.Atoi(minor)
		if err != nil {
			t.Fatal(err)
		}
		added := addedSince(t, n+1)
		for i, set := range sets {
			systems := []string{"linux/amd64", "windows/amd64"}
			switch {
			case i > 1 && goVersion == Library:
				continue // the text of each file changes by itself
			case i < 2 && goVersion != Library:
				systems = append(systems, "darwin/arm64", "solaris/amd64", "js/wasm", "wasip1/wasm", "plan9/amd64")
			}
			testCopy(t, set, goVersion, systems, added)
		}
	}
}

func testCopy(t *testing.T, set []string, goVersion string, systems []string, added map[string]bool) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo "+goVersion+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := Copy(set, "v1.0.0", goVersion)
	if err != nil {
		t.Fatal(err)
	}
	overlay := make(map[string][]byte)
	for name, src := range files {
		overlay[filepath.Join(dir, name)] = src
		if formatted, err := format.Source(src); err != nil || !bytes.Equal(formatted, src) || bytes.Contains(src, []byte("%w: %w")) {
			t.Errorf("Go %s: %s does not parse, is not formatted, or wraps two errors, as Go 1.20 does: %v", goVersion, name, err)
		}
	}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Overlay: overlay,
			Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "GOWORK=off", "CGO_ENABLED=0")}, ".")
		if err != nil || len(pkgs[0].Errors) > 0 {
			t.Fatalf("Go %s, %s, %v: %v %v", goVersion, system, set, err, pkgs[0].Errors)
		}
		for _, name := range tooNew(pkgs[0], added) {
			t.Errorf("%s: the copy for %v uses %s, which came after Go %s", system, set, name, goVersion)
		}
		for _, name := range set {
			if token.IsExported(name) && pkgs[0].Types.Scope().Lookup(name) == nil {
				t.Errorf("%s: the copy for %v has no %s", system, set, name)
			}
		}
	}
}

// TestOldest: the oldest Go that a copy is for builds one.
func TestOldest(t *testing.T) {
	const oldest = "go" + Library + ".15"
	names, err := Exported()
	if err != nil {
		t.Fatal(err)
	}
	files, err := Copy(names, "v1.0.0", Library)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files["go.mod"] = []byte("module m\n\ngo " + Library + "\n")
	for name, src := range files {
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOTOOLCHAIN="+oldest, "GOWORK=off", "GOFLAGS=-mod=readonly")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("version"); err != nil || !strings.Contains(out, oldest) {
		t.Skipf("%s could not be downloaded: %v\n%s", oldest, err, out)
	}
	for _, system := range []string{"linux", "windows"} {
		t.Setenv("GOOS", system)
		if out, err := run("vet", "."); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}

// addedSince returns what releases of Go from 1.minor on added to the standard library, as
// the lists in GOROOT/api have it: path.Name, or path.Type.Method. A list repeats what it spells in another way.
func addedSince(t *testing.T, minor int) map[string]bool {
	t.Helper()
	line := regexp.MustCompile(`(?m)^pkg (\S+)(?: \(\S+\))?, (?:method \(\*?(\w+)[^)]*\)|func|type|var|const) (\w+)`)
	before, added := make(map[string]bool), make(map[string]bool)
	for n := 0; ; n++ {
		list, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "api", strings.TrimSuffix(fmt.Sprintf("go1.%d", n), ".0")+".txt"))
		if err != nil {
			break
		}
		for _, m := range line.FindAllStringSubmatch(string(list), -1) {
			name := strings.TrimSuffix(m[1]+"."+m[2], ".") + "." + m[3]
			if n < minor {
				before[name] = true
			} else if !before[name] {
				added[name] = true
			}
		}
	}
	if !added["strings.Cut"] || !added["sync.Mutex.TryLock"] || added["os.OpenFile"] {
		t.Fatal("GOROOT/api does not list what is new")
	}
	return added
}

// tooNew returns the names of the standard library in a package that are among those added.
func tooNew(p *packages.Package, added map[string]bool) []string {
	var names []string
	for _, obj := range p.TypesInfo.Uses {
		if obj.Pkg() == nil || obj.Pkg() == p.Types {
			continue
		}
		path, name := obj.Pkg().Path(), obj.Name()
		if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
			recv := f.Signature().Recv().Type()
			if ptr, ok := recv.(*types.Pointer); ok {
				recv = ptr.Elem()
			}
			if named, ok := recv.(*types.Named); ok {
				name = named.Obj().Name() + "." + name
			}
			if path == "io/fs" { // package os has its types under their old names
				path = "os"
			}
		}
		if name = path + "." + name; added[name] {
			names = append(names, name)
		}
	}
	return names
}

// TestSignatures: the functions and methods of a copy have the signatures that they have in the module, so that code
// can go from one to the other by its import path.
func TestSignatures(t *testing.T) {
	module, compact := signatures(t, "../../safeio"), signatures(t, "safeio")
	for name, signature := range compact {
		if module[name] != signature {
			t.Errorf("%s: %s, and in the module %s", name, signature, module[name])
		}
	}
	if len(compact) < 25 {
		t.Errorf("%d functions", len(compact))
	}
}

// signatures are those of the exported functions and methods in a folder.
func signatures(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			var text strings.Builder
			if fn.Recv != nil {
				format.Node(&text, fset, fn.Recv.List[0].Type)
				if !token.IsExported(strings.TrimPrefix(text.String(), "*")) {
					continue
				}
			}
			key := text.String() + "." + fn.Name.Name
			text.Reset()
			format.Node(&text, fset, fn.Type)
			all[key] = strings.ReplaceAll(text.String(), "os.File", "fs.File")
		}
	}
	return all
}

// TestDeclared: of a file counts what code of other packages can name.
func TestDeclared(t *testing.T) {
	got := Declared([]byte("package p\nvar A, b = 1, 2\nconst C = 1\ntype ( D int; e int )\nfunc F() {}\nfunc g() {}\nfunc (D) H() {}\n"))
	if !slices.Equal(got, []string{"A", "C", "D", "F"}) || Declared([]byte("package")) != nil {
		t.Errorf("it declares %v", got)
	}
}
