package bundle

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A checker type-checks sources for one system.
type checker struct {
	system
	fset *token.FileSet
	std  types.Importer
}

// importers are made once for each system: the standard library is read from source.
var importers = sync.OnceValue(func() []*checker {
	var all []*checker
	for _, s := range append(slices.Clone(systems), system{"darwin", "arm64"}, system{"plan9", "386"}) {
		fset := token.NewFileSet()
		all = append(all, &checker{s, fset, importer.ForCompiler(fset, "source", nil)})
	}
	return all
})

// config is how packages are type-checked on the system, until restore. The importer
// of sources asks build.Default.
func (c *checker) config() (cfg *types.Config, restore func()) {
	saved := build.Default
	build.Default.GOOS, build.Default.GOARCH, build.Default.CgoEnabled = c.GOOS, c.GOARCH, false
	build.Default.ToolTags = nil // those of the machine's own processor
	return &types.Config{Importer: c.std, Sizes: types.SizesFor("gc", c.GOARCH)}, func() { build.Default = saved }
}

// parse are those of the files that the system builds.
func (c *checker) parse(t *testing.T, files map[string][]byte) []*ast.File {
	t.Helper()
	var parsed []*ast.File
	ctx := c.context(files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		ok, err := ctx.MatchFile("", name)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			f, err := parser.ParseFile(c.fset, name, files[name], parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
	}
	return parsed
}

// TestTypes type-checks the indexes and copies on every system, for which the standard
// library is read from source once.
func TestTypes(t *testing.T) {
	t.Run("index", theIndex)
	t.Run("copies", theCopies)
}

// theIndex: the indexes have what types say.
func theIndex(t *testing.T) {
	for name, bare := range map[string]bool{"index.txt": false, "index_plain.txt": true} {
		lib, err := source(bare)
		if err != nil {
			t.Fatal(err)
		}
		files, err := sources(bare)
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]map[string]bool)
		for _, c := range importers() {
			(&indexer{checker: c, lib: lib, all: all}).add(t, files)
		}
		var out strings.Builder
		for _, d := range lib.decls {
			for _, name := range d.names {
				delete(all[d.id()], name)
			}
			if names := all[d.id()]; len(names) > 0 {
				fmt.Fprintf(&out, "%s: %s\n", d.id(), strings.Join(slices.Sorted(maps.Keys(names)), " "))
			}
		}
		if old, err := os.ReadFile(name); err != nil || string(old) != out.String() {
			if !*update {
				t.Errorf("%s is not what safeio has: go test ./internal/bundle -update, until it says ok", name)
			} else if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An indexer enters what the declarations need on one system.
type indexer struct {
	*checker
	lib *library
	all map[string]map[string]bool
}

func (x *indexer) add(t *testing.T, files map[string][]byte) {
	cfg, restore := x.config()
	defer restore()
	parsed := x.parse(t, files)
	prog, info, err := ssautil.BuildPackage(cfg, x.fset, types.NewPackage(ImportPath, "safeio"), parsed, ssa.SanityCheckFunctions)
	if err != nil {
		t.Fatalf("%s: %v", x.GOOS, err)
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if obj := info.Uses[id]; obj != nil && obj.Pkg() == prog.Pkg {
				name := nameOf(obj)
				if v, ok := obj.(*types.Var); ok && v.IsField() {
					name = x.option(v)
				}
				x.enter(id.Pos(), name)
			}
			return true
		})
	}
	for fn := range ssautil.AllFunctions(prog.Prog) {
		if fn.Package() != prog || fn.Synthetic != "" && fn.Name() != "init" {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if made, ok := instr.(*ssa.MakeInterface); ok {
					x.convert(t, fn, made)
				}
			}
		}
	}
}

// nameOf is the name of a package-level object or method, empty for any other.
func nameOf(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			if of := named(recv.Type()); of != nil {
				return of.Obj().Name() + "." + fn.Name()
			}
			return ""
		}
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Name()
}

// option is the name of a field of Options, empty for any other.
func (x *indexer) option(field *types.Var) string {
	name := Options + "." + field.Name()
	for _, d := range x.lib.byName[name] {
		if p := x.fset.Position(field.Pos()); d.file == p.Filename && d.start == p.Offset {
			return name
		}
	}
	return ""
}

func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// convert enters the methods of what becomes an interface: those that it asks for, and
// all that another could.
func (x *indexer) convert(t *testing.T, fn *ssa.Function, made *ssa.MakeInterface) {
	of := named(made.X.Type())
	if of == nil || of.Obj().Pkg() != fn.Package().Pkg || types.IsInterface(of) {
		return
	}
	pos := made.Pos()
	if !pos.IsValid() {
		for fn.Parent() != nil {
			fn = fn.Parent()
		}
		pos = fn.Pos()
	}
	if !pos.IsValid() {
		t.Fatalf("%s: a %s becomes an interface in a place that is not known", x.GOOS, of)
	}
	to := made.Type().Underlying().(*types.Interface)
	for m := range of.Origin().Methods() {
		asked, _, _ := types.LookupFieldOrMethod(to, false, m.Pkg(), m.Name())
		if m.Exported() || asked != nil {
			x.enter(pos, of.Obj().Name()+"."+m.Name())
		}
	}
}

// enter says that what is declared around a place needs a name.
func (x *indexer) enter(at token.Pos, name string) {
	if name == "" || x.lib.byName[name] == nil {
		return
	}
	for _, d := range x.lib.decls {
		p := x.fset.Position(at)
		if d.file == p.Filename && d.start <= p.Offset && p.Offset < d.end && d.tok != token.ILLEGAL {
			if x.all[d.id()] == nil {
				x.all[d.id()] = make(map[string]bool)
			}
			x.all[d.id()][name] = true
		}
	}
}

// theCopies: whatever of safeio code names, the copy for that compiles by itself, on
// every system.
func theCopies(t *testing.T) {
	names, err := Exported()
	if err != nil {
		t.Fatal(err)
	}
	sets := [][]string{names, nil}
	for _, name := range names {
		if testing.Short() && name != "WriteFile" && name != "Options.TryLock" {
			continue
		}
		sets = append(sets, []string{name})
	}
	seen := make(map[string]bool)
	for _, c := range importers() {
		cfg, restore := c.config()
		for _, set := range sets {
			files, err := Copy(set, "v1.0.0", false)
			if err != nil {
				t.Fatal(err)
			}
			all := c.GOOS
			for _, name := range slices.Sorted(maps.Keys(files)) {
				all += string(body(files[name]))
			}
			if seen[all] {
				continue
			}
			seen[all] = true
			cfg.Error = func(err error) { t.Errorf("%s: the copy for %v: %v", c.GOOS, set, err) }
			pkg, _ := cfg.Check("m/internal/safeio", c.fset, c.parse(t, files), nil)
			for _, name := range set {
				if of, m, method := strings.Cut(name, "."); pkg.Scope().Lookup(of) == nil || method && !hasMethod(pkg, of, m) {
					t.Errorf("%s: the copy for %v has no %s", c.GOOS, set, name)
				}
			}
		}
		restore()
	}
}

// body is a file but for its header and for which names it is made.
func body(src []byte) []byte {
	_, rest, _ := bytes.Cut(src, []byte("\npackage "))
	return rest
}

func hasMethod(pkg *types.Package, of, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(of).Type(), true, pkg, name)
	return obj != nil
}

// TestSize: who reviews a copy has so much to read, and no more.
func TestSize(t *testing.T) {
	names, err := Exported()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names []string
		most  int
	}{
		{[]string{"WriteFile"}, 1330}, {[]string{"Create"}, 1420}, {[]string{"Replace"}, 1370}, {[]string{"Lock"}, 1880}, {[]string{"Append"}, 2450}, {[]string{"Update"}, 3090}, {names, 4550},
	} {
		files, err := Copy(c.names, "v1.0.0", false)
		if err != nil {
			t.Fatal(err)
		}
		lines, text := 0, ""
		for _, name := range slices.Sorted(maps.Keys(files)) {
			n := bytes.Count(files[name], []byte("\n"))
			lines, text = lines+n, fmt.Sprintf("%s %s %d", text, name, n)
		}
		t.Logf("%.60v: %d lines:%s", c.names, lines, text)
		if lines > c.most {
			t.Errorf("the copy for %.60v has %d lines, more than %d", c.names, lines, c.most)
		}
		if again, _ := Called(files[First]); !slices.Equal(again, c.names) {
			t.Errorf("the copy for %v says that it is for %v", c.names, again)
		}
	}
}
