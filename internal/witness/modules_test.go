package witness

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// savedTest is a test, of a package that has Save, which reaches it by the names that NAME gives.
const savedTest = `package PACKAGE

import (
	"os"
	"testing"
)

func TestNAME(t *testing.T) {
	BEFORE
	for _, content := range []string{"first", "second"} {
		if err := SAVE("state", content); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile("state"); err != nil || string(data) != "second" {
		t.Fatal(string(data), err)
	}
}
`

func testOf(pkg, name, before, save string) string {
	return strings.NewReplacer("PACKAGE", pkg, "NAME", name, "BEFORE", before, "SAVE", save).Replace(savedTest)
}

// saverOf is a file of a package with a function that truncates, on a line that is marked.
func saverOf(head, name, write string) string {
	return head + "\nfunc " + name + "(path, content string) error {\n\treturn " + write +
		"(path, []byte(content), 0o600) // shape: inplace\n}\n"
}

const chdir = `t.Chdir(t.TempDir())`

// TestModules records modules as programs have them, and executes the loss in each of their packages.
func TestModules(t *testing.T) {
	gcc, _ := exec.LookPath("gcc")
	work := map[string]string{
		"go.mod":                        "module example.com/m/v2\n\ngo 1.24\n\nrequire example.com/dep v1.0.0\n",
		"vendor/modules.txt":            "# example.com/dep v1.0.0\n## explicit; go 1.23\nexample.com/dep\n",
		"vendor/example.com/dep/dep.go": "package dep\n\nimport \"os\"\n\nvar Write = os.WriteFile\n",
		"m.go":                          saverOf("package m\n\nimport \"example.com/dep\"\n", "Save", "dep.Write"),
		"m_test.go":                     testOf("m", "Inside", chdir, "Save"),
		"x_test.go": strings.Replace(testOf("m_test", "Outside", chdir, "m.Save"), "import (",
			"import (\n\tm \"example.com/m/v2\"", 1),
		"tagged/plain.go":       "package tagged\n",
		"tagged/tagged.go":      saverOf("//go:build x\n\npackage tagged\n\nimport \"os\"\n", "Save", "os.WriteFile"),
		"tagged/tagged_test.go": "//go:build x\n\n" + testOf("tagged", "Tagged", chdir, "Save"),
		"cmd/v2/main.go": saverOf("package main\n\nimport \"os\"\n\nfunc main() { save(\"state\", os.Args[1]) }\n", "save",
			"os.WriteFile"),
		"cmd/v2/main_test.go": testOf("main", "Program", `dir, err := os.MkdirTemp("", "x")
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}`, "save") + "\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n",
		"local/local.go":      saverOf("package local\n\nimport \"os\"\n", "Save", "os.WriteFile"),
		"local/local_test.go": testOf("local", "Local", `defer os.Remove("state")`, "Save"),
	}
	if gcc != "" {
		head := "package c\n\n// int one(void) { return 1; }\nimport \"C\"\n\nimport \"os\"\n\nvar One = C.one()\n"
		work["c/c.go"] = saverOf(head, "Save", "os.WriteFile")
		work["c/c_test.go"] = testOf("c", "C", chdir, "Save")
	}
	t.Run("vendored", func(t *testing.T) {
		proveAll(t, work, Options{Env: []string{"GOWORK=off"}, Flags: []string{"-tags=x"}})
	})
	t.Run("workspace", func(t *testing.T) {
		proveAll(t, map[string]string{
			"go.work":  "go 1.24\n\nuse (\n\t./a\n\t./b\n)\n",
			"a/go.mod": "module example.com/a\n\ngo 1.24\n",
			"a/a.go":   saverOf("package a\n\nimport \"os\"\n", "Save", "os.WriteFile"),
			"b/go.mod": "module example.com/b\n\ngo 1.24\n\nrequire example.com/a v0.0.0\n",
			"b/b.go": "package b\n\nimport \"example.com/a\"\n\nfunc Save(path, content string) error {\n" +
				"\treturn a.Save(path, content) // shape: inplace\n}\n",
			"b/b_test.go": testOf("b", "B", chdir, "Save"),
		}, Options{Dir: "a", Packages: []string{"example.com/a", "example.com/b"}, Env: []string{"GOWORK="}})
	})
}

// proveAll proves what is marked in the files, and leaves them as they are.
func proveAll(t *testing.T, files map[string]string, opts Options) {
	t.Helper()
	dir := module(t, files)
	opts.Dir, opts.Cache = filepath.Join(dir, opts.Dir), cache(t)
	before := listed(t, dir)
	s, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	trace, err := s.Record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.LeftOut) > 0 {
		t.Errorf("left out: %+v", trace.LeftOut)
	}
	var claims []Claim
	for _, m := range marks(t, dir) {
		claims = append(claims, Claim{Site: m.site, Acts: []string{"full"}})
	}
	proofs, err := s.Prove(t.Context(), claims)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proofs {
		if p.Verdict != Proven {
			t.Errorf("%s is %s: %s", p.Claim.Site.File, p.Verdict, p.Says)
		}
	}
	if now := listed(t, dir); !slices.Equal(before, now) {
		t.Errorf("the module has %v; want %v", now, before)
	}
}

// TestAside: what a package does that counts as a library is done where it is called.
func TestAside(t *testing.T) {
	dir := module(t, map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.24\n",
		"lib/lib.go": saverOf("package lib\n\nimport \"os\"\n", "Save", "os.WriteFile"),
		"m.go": "package m\n\nimport (\n\t\"os\"\n\n\t\"example.com/m/lib\"\n)\n\n" +
			"func Save(path string) error { return lib.Save(path, \"content\") }\n\n" +
			"func Load(path string) ([]byte, error) { return os.ReadFile(path) }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSave(t *testing.T) {\n\tpath := t.TempDir() + \"/state\"\n" +
			"\tif err := Save(path); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif _, err := Load(path); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
	})
	for want, aside := range map[string][]string{"lib.go:6": nil, "m.go:9": {filepath.Join(dir, "lib")}} {
		s, err := New(t.Context(), Options{Dir: dir, Cache: cache(t), Env: []string{"GOWORK=off"}, Aside: aside})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		trace, err := s.Record(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if seen := trace.Seen(nil); len(seen) != 1 || seen[0].Site.String() != want {
			t.Errorf("with %q aside, seen is %+v; want a loss at %s", aside, seen, want)
		}
	}
}
