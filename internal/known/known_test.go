package known

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fullName takes the name of a row apart: "(*os.File).Write" is package "os",
// type "File", function "Write".
var fullName = regexp.MustCompile(`^(?:\(\*?(.+)\.(\w+)\)|(.+))\.(\w+)$`)

func parts(name string) (pkg, recv, fn string, ok bool) {
	m := fullName.FindStringSubmatch(name)
	if m == nil {
		return "", "", "", false
	}
	return m[1] + m[3], m[2], m[4], true
}

// std reports whether a package is in the standard library and can be imported
// by programs.
func std(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".") && first != "cmd"
}

// TestRows looks every row of the standard library up: the function is there,
// under the name that the look-up uses, and has the arguments that the row
// speaks of.
func TestRows(t *testing.T) {
	imp := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	tested := 0
	for name, row := range table {
		pkg, recv, fn, ok := parts(name)
		if !ok {
			t.Errorf("%q is no name of a function", name)
			continue
		}
		if !std(pkg) {
			continue
		}
		p, err := imp.Import(pkg)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		obj := function(p, recv, fn)
		if obj == nil {
			if pkg != "syscall" { // which has other functions on other systems
				t.Errorf("%s does not exist", name)
			}
			continue
		}
		tested++
		if got := obj.Origin().FullName(); got != name {
			t.Errorf("%s is looked up as %s", name, got)
		}
		if got, ok := Lookup(obj); !ok || got != row {
			t.Errorf("%s: the look-up gives %v", name, got)
		}
		arguments(t, name, row, obj)
	}
	if tested < 150 {
		t.Errorf("only %d rows are of the standard library", tested)
	}
}

func function(p *types.Package, recv, fn string) *types.Func {
	if recv == "" {
		f, _ := p.Scope().Lookup(fn).(*types.Func)
		return f
	}
	tn, ok := p.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(tn.Type()), true, p, fn)
	if types.IsInterface(tn.Type()) {
		obj, _, _ = types.LookupFieldOrMethod(tn.Type(), true, p, fn)
	}
	f, _ := obj.(*types.Func)
	return f
}

// arguments checks that the function has arguments A and B, and that they are
// of a kind that the operation can mean.
func arguments(t *testing.T, name string, row Row, fn *types.Func) {
	var args []types.Type
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil {
		args = append(args, recv.Type())
	}
	for v := range sig.Params().Variables() {
		args = append(args, v.Type())
	}
	is := func(n int, what string, ok func(types.Type) bool) {
		if n >= len(args) || n < 0 {
			t.Errorf("%s has %d arguments, and the row speaks of number %d", name, len(args), n)
		} else if !ok(args[n]) {
			t.Errorf("%s: argument %d is a %s, and no %s", name, n, args[n], what)
		}
	}
	text := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	}
	bytes := func(t types.Type) bool { return text(t) || IsBytes(t) }
	number := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	handle := func(t types.Type) bool { return !text(t) && !bytes(t) }
	switch row.Op {
	case WriteFile, Replace:
		is(row.A, "path", text)
		is(row.B, "content", bytes)
	case OpenFile:
		is(row.A, "path", text)
		is(row.B, "set of flags", number)
	case Create, Open, Remove, Stat, Pending:
		is(row.A, "path", text)
	case CreateTemp, Rename, Link:
		is(row.A, "path", text)
		is(row.B, "path", text)
	case TruncatePath:
		is(row.A, "path", text)
		is(row.B, "size", number)
	case Truncate:
		is(row.A, "handle", handle)
		is(row.B, "size", number)
	case Read, ReadAll, Flush, Sync, Close, Seek, NameOf, EncodeTo, DecodeFrom, Lock, Unlock, LockPath:
		is(row.A, "handle", handle)
	case Template:
		if !strings.HasPrefix(name, "runtime/pprof.") { // whose writers are argument 0
			is(row.A, "writer", func(t types.Type) bool { return !text(t) })
		}
	case Copy:
		is(row.A, "handle", handle)
		is(row.B, "source", func(t types.Type) bool { return true })
	case Write, WriteAt:
		is(row.A, "handle", handle)
		is(row.B, "content", func(t types.Type) bool { return bytes(t) || number(t) })
	case Same, Akin, Part, Encode, Decode:
		is(row.A, "value", func(types.Type) bool { return true })
	case Format:
		is(row.A, "format", text)
		is(row.B, "list of values", func(t types.Type) bool { _, ok := t.(*types.Slice); return ok })
	}
}

// TestSerializers: what is decoded comes first, and what it goes into last; what is encoded comes
// first, and the writer behind it.
func TestSerializers(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", `package p
		import "io"
		type Codec interface {
			Decode(data []byte, kind *string, into any) (any, error)
			Encode(obj any, w io.Writer) error
		}
		type Text interface { Decode(dst, src []byte) (int, error); Encode(dst, src []byte) }
		type Blocks interface { Decode(data []byte) (*string, []byte) }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}).Check("p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of, method string
		want       Row
	}{
		{"Codec", "Decode", Row{Decode, 1, 0}},
		{"Codec", "Encode", Row{EncodeTo, 2, 1}},
		{"Text", "Decode", Row{}},
		{"Text", "Encode", Row{}},
		{"Blocks", "Decode", Row{}},
	} {
		obj, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(c.of).Type(), true, pkg, c.method)
		if got, _ := Lookup(obj.(*types.Func)); got != c.want {
			t.Errorf("%s.%s: %v, want %v", c.of, c.method, got, c.want)
		}
	}
}

// TestShaped names encoders that no table lists.
func TestShaped(t *testing.T) {
	imp := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	lookup := func(pkg, recv, fn string) (Row, bool) {
		t.Helper()
		p, err := imp.Import(pkg)
		if err != nil {
			t.Fatal(err)
		}
		f := function(p, recv, fn)
		if f == nil {
			t.Fatalf("%s.%s.%s does not exist", pkg, recv, fn)
		}
		return Lookup(f)
	}
	for _, c := range []struct {
		pkg, recv, fn string
		want          Row
	}{
		{"encoding/json", "", "Marshal", Row{Encode, 0, 0}},
		{"encoding/json", "", "MarshalIndent", Row{Encode, 0, 0}},
		{"encoding/json", "", "Unmarshal", Row{Decode, 0, 0}},
		{"encoding/json", "Encoder", "Encode", Row{EncodeTo, 0, 1}},
		{"encoding/json", "Decoder", "Decode", Row{DecodeFrom, 0, 0}},
		{"encoding/gob", "", "NewEncoder", Row{Wrap, 0, 0}},
		{"encoding/gob", "", "NewDecoder", Row{Wrap, 0, 0}},
		{"encoding/xml", "", "Marshal", Row{Encode, 0, 0}},
		{"encoding/xml", "Encoder", "Encode", Row{EncodeTo, 0, 1}},
		{"encoding/pem", "", "EncodeToMemory", Row{Encode, 0, 0}},
		{"encoding/asn1", "", "Marshal", Row{Encode, 0, 0}},
		{"compress/zlib", "", "NewWriter", Row{Wrap, 0, 0}},
		{"time", "Time", "MarshalText", Row{Encode, 0, 0}},
		{"net/url", "URL", "MarshalBinary", Row{Encode, 0, 0}},
		{"net/url", "URL", "UnmarshalBinary", Row{Decode, 1, 0}},
	} {
		if got, ok := lookup(c.pkg, c.recv, c.fn); !ok || got != c.want {
			t.Errorf("%s.%s.%s: %v, %t; want %v", c.pkg, c.recv, c.fn, got, ok, c.want)
		}
	}
	for _, c := range [][3]string{
		{"encoding/hex", "", "Encode"},
		{"encoding/base64", "Encoding", "Encode"},
		{"net/http", "", "NewRequest"},
		{"net/url", "Values", "Encode"},
		{"strings", "", "NewReplacer"},
	} {
		if got, ok := lookup(c[0], c[1], c[2]); ok {
			t.Errorf("%s is known as %v", strings.Join(c[:], "."), got)
		}
	}
	if _, ok := Lookup(nil); ok {
		t.Error("no function is known")
	}
}

// TestForeignRows checks what can be checked of packages that are not here: the
// form of the name, and that no row contradicts its twin under another import
// path.
func TestForeignRows(t *testing.T) {
	for name, row := range table {
		pkg, _, _, ok := parts(name)
		if !ok || std(pkg) {
			continue
		}
		if strings.HasSuffix(name, ".Rename") && row.Op != Rename || strings.HasSuffix(name, ".Flock") && row.Op != Flock {
			t.Errorf("%s: %v", name, row)
		}
		twin := strings.Replace(name, "golang.org/x/sys/unix.", "syscall.", 1)
		if other, ok := table[twin]; ok && other != row {
			t.Errorf("%s is %v, and %s is %v", name, row, twin, other)
		}
	}
}

// Every row is found by a function of its name, wherever that is declared.
func TestEveryRowIsFound(t *testing.T) {
	for name, row := range table {
		path, recv, method, ok := parts(name)
		if !ok {
			t.Fatalf("%s is no full name", name)
		}
		pkg := types.NewPackage(path, "p")
		var of *types.Var
		if recv != "" {
			var typ types.Type = types.NewNamed(types.NewTypeName(token.NoPos, pkg, recv, nil), types.NewStruct(nil, nil), nil)
			if strings.HasPrefix(name, "(*") {
				typ = types.NewPointer(typ)
			}
			of = types.NewVar(token.NoPos, pkg, "", typ)
		}
		fn := types.NewFunc(token.NoPos, pkg, method, types.NewSignatureType(of, nil, nil, nil, nil, false))
		if fn.FullName() != name {
			t.Fatalf("%s was made for %s", fn.FullName(), name)
		}
		if got, ok := Lookup(fn); !ok || got != row {
			t.Errorf("%s: the look-up gives %v", name, got)
		}
	}
}

// TestShims: what has the functions of another package, made with safeio, is looked up
// as that, and there is such a package.
func TestShims(t *testing.T) {
	for shim, peer := range shims {
		if files, err := filepath.Glob("../../safeio/shim/" + shim + "/*.go"); err != nil || len(files) == 0 {
			t.Errorf("there is no shim %s, %v", shim, err)
		}
		if got := original(safeio + "/shim/" + shim); got != peer {
			t.Errorf("%s is looked up as %s", shim, got)
		}
	}
	for _, tt := range []struct {
		path, name string
		want       Op
	}{
		{safeio + "/shim/natefinch/atomic", "ReplaceFile", Replace},
		{safeio + "/shim/lockedfile", "Write", Replace}, // where the original writes in place
		{safeio + "/shim/lockedfile", "MutexAt", NewLock},
		{shims["lockedfile"], "Write", Save},
	} {
		fn := types.NewFunc(token.NoPos, types.NewPackage(tt.path, "p"), tt.name, types.NewSignatureType(nil, nil, nil, nil, nil, false))
		if row, ok := Lookup(fn); !ok || row.Op != tt.want {
			t.Errorf("%s.%s: %+v, %v", tt.path, tt.name, row, ok)
		}
	}
}

func TestIs(t *testing.T) {
	p, err := importer.ForCompiler(token.NewFileSet(), "gc", nil).Import("os")
	if err != nil {
		t.Fatal(err)
	}
	exit, write := function(p, "", "Exit"), function(p, "File", "Write")
	for _, c := range []struct {
		fn    *types.Func
		names []string
		want  bool
	}{
		{exit, []string{"os.Exit"}, true},
		{exit, []string{"os.Getwd", "os.Exit"}, true},
		{exit, nil, false},
		{exit, []string{"os.Exi", "os.Exits", "o.Exit", "os/Exit", "x/os.Exit", "Exit", "os."}, false},
		{write, []string{"os.Write", "(*os.File).Write"}, false},
		{nil, []string{"os.Exit"}, false},
	} {
		if got := Is(c.fn, c.names...); got != c.want {
			t.Errorf("%v is one of %q: %t", c.fn, c.names, got)
		}
	}
}

func TestMayChange(t *testing.T) {
	for _, c := range []struct {
		path, src string
		want      bool
	}{
		{"os", "os.WriteFile(name, data, 0o600)", true},
		{"os", "write := files.Rename", true},
		{"os", "os.ReadFile(name)", false},
		{"syscall", "syscall.Flock(fd, syscall.LOCK_EX)", true},
		{"strings", "os.WriteFile(name, data, 0o600)", false},
	} {
		if got := MayChange(c.path, []byte(c.src)); got != c.want {
			t.Errorf("of %s, %q may change files: %t", c.path, c.src, got)
		}
	}
}
