package witness

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed recorder
var recorder embed.FS

// added are the files that packages of the standard library get.
var added = []struct{ source, target string }{
	{"recorder/os_record.go.txt", "os/witness_record.go"},
	{"recorder/os_hooks.go.txt", "os/witness_hooks.go"},
	{"recorder/os_play.go.txt", "os/witness_play.go"},
	{"recorder/os_linux.go.txt", "os/witness_linux.go"},
	{"recorder/os_other.go.txt", "os/witness_other.go"},
	{"recorder/runtime.go.txt", "runtime/witness.go"},
	{"recorder/syscall_linux.go.txt", "syscall/witness_linux.go"},
	{"recorder/testing.go.txt", "testing/witness.go"},
}

// plain begins the name that a recorded function has in the instrumented package, without the record.
const plain = "plain_"

// A hook is a function whose calls are recorded.
type hook struct {
	// recv is empty for a function of package os, "syscall" for one of that package.
	recv, name string
	// call is what a call becomes, in terms of the receiver w, the parameters p0, p1, …, and PLAIN, the
	// function as it was.
	call string
}

// hooks are the functions through which package os reaches files. What older releases of Go lack is skipped, what
// must be there is in required.
var hooks = []hook{
	{"", "openFileNolog", `return witnessOpen("", p0, p1, func() (*File, error) { return PLAIN(p0, p1, p2) })`},
	{"", "rootOpenFileNolog",
		`return witnessOpen(p0.Name(), p1, p2, func() (*File, error) { return PLAIN(p0, p1, p2, p3) })`},
	{"File", "read", `return witnessRead(w, func() (int, error) { return PLAIN(p0) })`},
	{"File", "pread", `return witnessRead(w, func() (int, error) { return PLAIN(p0, p1) })`},
	{"File", "write", `return witnessWrite(w, p0, PLAIN)`},
	{"File", "pwrite", `return witnessWrite(w, p0, func(b []byte) (int, error) { return PLAIN(b, p1) })`},
	{"File", "readFrom", `return 0, false, nil`}, // so that the bytes pass through write
	{"File", "writeTo", `return 0, false, nil`},  // and through read
	{"File", "Truncate", `return witnessTruncate(w, p0, PLAIN)`},
	{"File", "Sync", `return witnessSync(w, PLAIN)`},
	{"File", "Close", `return witnessClose(w, PLAIN)`},
	{"", "Truncate", `return witnessOne("truncate", "", p0, func() error { return PLAIN(p0, p1) })`},
	{"", "Rename", `return witnessTwo("rename", "", p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"", "Link", `return witnessTwo("link", "", p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"", "Symlink", `return witnessTwo("symlink", "", p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"", "Remove", `return witnessOne("remove", "", p0, func() error { return PLAIN(p0) })`},
	{"", "RemoveAll", `return witnessOne("removeall", "", p0, func() error { return PLAIN(p0) })`},
	{"", "Mkdir", `return witnessOne("mkdir", "", p0, func() error { return PLAIN(p0, p1) })`},
	{"", "Stat", `return witnessStat("", p0, func() (FileInfo, error) { return PLAIN(p0) })`},
	{"", "Lstat", `return witnessStat("", p0, func() (FileInfo, error) { return PLAIN(p0) })`},
	{"", "StartProcess", `return PLAIN(p0, p1, witnessStartProcess(p2))`},
	{"", "Exit", `witnessExit(); PLAIN(p0)`},
	{"", "NewFile", `return witnessNewFile(PLAIN(p0, p1))`},
	{"Root", "Rename", `return witnessTwo("rename", w.Name(), p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"Root", "Link", `return witnessTwo("link", w.Name(), p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"Root", "Symlink", `return witnessTwo("symlink", w.Name(), p0, p1, func() error { return PLAIN(p0, p1) })`},
	{"Root", "Remove", `return witnessOne("remove", w.Name(), p0, func() error { return PLAIN(p0) })`},
	{"Root", "RemoveAll", `return witnessOne("removeall", w.Name(), p0, func() error { return PLAIN(p0) })`},
	{"Root", "Mkdir", `return witnessOne("mkdir", w.Name(), p0, func() error { return PLAIN(p0, p1) })`},
	{"Root", "Stat", `return witnessStat(w.Name(), p0, func() (FileInfo, error) { return PLAIN(p0) })`},
	{"Root", "Lstat", `return witnessStat(w.Name(), p0, func() (FileInfo, error) { return PLAIN(p0) })`},
	{"syscall", "Renameat",
		`return WitnessRename(p0, p1, p2, p3, func() error { return PLAIN(p0, p1, p2, p3) })`},
}

// required are the functions that every release has which can be instrumented.
var required = []string{
	"openFileNolog", "File.read", "File.pread", "File.write", "File.pwrite", "File.Truncate", "File.Sync", "File.Close",
	"Truncate", "Rename", "Link", "Remove", "RemoveAll", "Mkdir", "Stat", "Lstat", "StartProcess", "Exit", "NewFile",
	"syscall.Renameat",
}

// notInstrumented are the ends of the names of files for systems on which nothing is recorded.
var notInstrumented = []string{"_test.go", "_plan9.go", "_wasip1.go", "_js.go"}

// Instrument writes files by which the go command builds programs that record their file operations, into a folder of
// dir, and returns the file to give to -overlay. They are made from the sources in goroot, and made once: the go
// command caches what it builds by their content.
func Instrument(goroot, version, dir string) (string, error) {
	replaced, err := instrumented(goroot)
	if err != nil {
		return "", err
	}
	files := make([]string, 0, len(replaced))
	for name := range replaced {
		files = append(files, name)
	}
	slices.Sort(files)
	sum := sha256.New()
	fmt.Fprintln(sum, goroot, version)
	for _, name := range files {
		fmt.Fprintln(sum, name, len(replaced[name]))
		sum.Write(replaced[name])
	}
	folder := filepath.Join(dir, version+"-"+hex.EncodeToString(sum.Sum(nil))[:16])
	overlay := filepath.Join(folder, "overlay.json")
	if _, err := os.Stat(overlay); err == nil {
		return overlay, nil
	}
	return overlay, writeOverlay(goroot, folder, replaced)
}

// writeOverlay writes the files and the list of them, the latter last and at once: where it is, all is.
func writeOverlay(goroot, folder string, replaced map[string][]byte) error {
	list := struct{ Replace map[string]string }{map[string]string{}}
	for name, content := range replaced {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("instrument package os: %w", err)
		}
		if err := replaceFile(file, content); err != nil {
			return fmt.Errorf("instrument package os: %w", err)
		}
		list.Replace[filepath.Join(goroot, "src", filepath.FromSlash(name))] = file
	}
	content, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return fmt.Errorf("instrument package os: %w", err)
	}
	if err := replaceFile(filepath.Join(folder, "overlay.json"), content); err != nil {
		return fmt.Errorf("instrument package os: %w", err)
	}
	return nil
}

// replaceFile puts a whole file in place. Nobody needs it after a power cut.
func replaceFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".witness-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// instrumented are the files of GOROOT/src that differ from what is there, by name.
func instrumented(goroot string) (map[string][]byte, error) {
	src := filepath.Join(goroot, "src")
	replaced := map[string][]byte{}
	found := map[string]bool{}
	for _, pkg := range []string{"os", "syscall"} {
		if err := wrapPackage(src, pkg, replaced, found); err != nil {
			return nil, err
		}
	}
	for _, name := range required {
		if !found[name] {
			return nil, fmt.Errorf("%s has no function %s: this release of Go cannot be instrumented; "+
				"use one from Go 1.23 to 1.26", filepath.Join(src, "os"), name)
		}
	}
	if err := insertCalls(src, replaced); err != nil {
		return nil, err
	}
	for _, f := range added {
		content, err := recorder.ReadFile(f.source)
		if err != nil {
			return nil, err
		}
		replaced[f.target] = content
	}
	return replaced, nil
}

// wrapPackage adds the files of a package whose functions are recorded.
func wrapPackage(src, pkg string, replaced map[string][]byte, found map[string]bool) error {
	entries, err := os.ReadDir(filepath.Join(src, pkg))
	if err != nil {
		return fmt.Errorf("the sources of package %s are missing: %w; install the sources of Go", pkg, err)
	}
	for _, e := range entries {
		name := e.Name()
		left := slices.ContainsFunc(notInstrumented, func(end string) bool { return strings.HasSuffix(name, end) }) ||
			pkg == "syscall" && !strings.Contains(name, "_linux")
		if e.IsDir() || left || !strings.HasSuffix(name, ".go") {
			continue
		}
		content, changed, err := wrapFile(filepath.Join(src, pkg, name), pkg, found)
		if err != nil {
			return err
		}
		if changed {
			replaced[pkg+"/"+name] = content
		}
	}
	return nil
}

// wrapFile renames the functions of a file that are recorded, and adds functions of their names that record the call.
func wrapFile(file, pkg string, found map[string]bool) (content []byte, changed bool, err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, false, fmt.Errorf("instrument package os: %w", err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false, fmt.Errorf("instrument package os: %w", err)
	}
	var out, wrappers bytes.Buffer
	last := 0
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		recv := receiver(fn)
		if pkg != "os" {
			recv = strings.TrimSuffix(pkg+"."+recv, ".")
		}
		i := slices.IndexFunc(hooks, func(h hook) bool { return h.recv == recv && h.name == fn.Name.Name })
		if i < 0 {
			continue
		}
		found[strings.TrimPrefix(recv+"."+fn.Name.Name, ".")] = true
		at := fset.Position(fn.Name.Pos()).Offset
		out.Write(source[last:at])
		out.WriteString(plain)
		last = at
		wrap(&wrappers, hooks[i], fn, func(n ast.Node) string {
			return string(source[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
		})
	}
	if last == 0 {
		return nil, false, nil
	}
	out.Write(source[last:])
	out.Write(wrappers.Bytes())
	return out.Bytes(), true, nil
}

// receiver is the name of the type that fn is a method of, empty for none.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return "value"
	}
	name, ok := star.X.(*ast.Ident)
	if !ok {
		return "generic"
	}
	return name.Name
}

// wrap writes the function that records the calls of fn.
func wrap(out *bytes.Buffer, h hook, fn *ast.FuncDecl, text func(ast.Node) string) {
	called, recv, off := plain+h.name, "", "!witnessOn"
	switch h.recv {
	case "":
	case "syscall":
		off = "WitnessRename == nil"
	default:
		called, recv = "w."+called, "(w *"+h.recv+") "
	}
	var params, args, results []string
	for _, field := range fn.Type.Params.List {
		for range max(len(field.Names), 1) {
			arg := fmt.Sprintf("p%d", len(args))
			args = append(args, arg)
			params = append(params, arg+" "+text(field.Type))
		}
	}
	if fn.Type.Results != nil {
		for _, field := range fn.Type.Results.List {
			for range max(len(field.Names), 1) {
				results = append(results, text(field.Type))
			}
		}
	}
	plainCall := called + "(" + strings.Join(args, ", ") + ")"
	if len(results) > 0 {
		plainCall = "return " + plainCall
	} else {
		plainCall += "; return"
	}
	fmt.Fprintf(out, "\nfunc %s%s(%s) (%s) {\n\tif %s {\n\t\t%s\n\t}\n\t%s\n}\n", recv, h.name,
		strings.Join(params, ", "), strings.Join(results, ", "), off, plainCall,
		strings.ReplaceAll(h.call, "PLAIN", called))
}

// An insertion is a call that a function outside of package os gets.
type insertion struct {
	file, fn string
	// after is the function after whose call the text is put, empty for the beginning of the function.
	after, text string
}

var insertions = []insertion{
	{"syscall/syscall_linux.go", "Syscall", "runtime_exitsyscall",
		"; if trap == SYS_FLOCK || trap == fcntl64Syscall || trap == SYS_FSYNC || trap == SYS_FDATASYNC " +
			"{ witnessed(trap, a1, a2, &a3, err) }"},
	{"testing/testing.go", "tRunner", "", " witnessStart(t);"},
}

// insertCalls adds the calls of other packages to the files that are replaced.
func insertCalls(src string, replaced map[string][]byte) error {
	for _, in := range insertions {
		file := filepath.Join(src, filepath.FromSlash(in.file))
		source, wrapped := replaced[in.file]
		var err error
		if !wrapped {
			source, err = os.ReadFile(file)
		}
		if err != nil {
			return fmt.Errorf("instrument the standard library: %w; install the sources of Go", err)
		}
		at, err := in.offset(file, source)
		if err != nil {
			return err
		}
		replaced[in.file] = slices.Concat(source[:at], []byte(in.text), source[at:])
	}
	return nil
}

// offset is where the text of an insertion belongs.
func (in insertion) offset(file string, source []byte) (int, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, fmt.Errorf("instrument the standard library: %w", err)
	}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name != in.fn || fn.Body == nil {
			continue
		}
		if in.after == "" {
			return fset.Position(fn.Body.Lbrace).Offset + 1, nil
		}
		for _, stmt := range fn.Body.List {
			call, ok := stmt.(*ast.ExprStmt)
			if !ok {
				continue
			}
			if c, ok := call.X.(*ast.CallExpr); ok {
				if name, ok := c.Fun.(*ast.Ident); ok && name.Name == in.after {
					return fset.Position(stmt.End()).Offset, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("%s has no function %s as it is known: this release of Go cannot be instrumented; "+
		"use one from Go 1.23 to 1.26", file, in.fn)
}
