package analyse

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/finding"
)

// TestReleases analyses many packages, all of which have a finding and tell of
// themselves, and counts those that are still in memory when the last one is
// analysed: as many as are worked on, however many there are.
func TestReleases(t *testing.T) {
	const workers, n = 2, 24
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	c := many(t, n)
	named, err := c.Packages("./...")
	if err != nil {
		t.Fatal(err)
	}
	c.Enough = 1
	var live liveness
	r := Runner{
		Load:   c,
		SafeIO: func(*packages.Package) string { return analyzer.DefaultSafeio },
		New: func(helper *types.Func) *analysis.Analyzer {
			a := analyzer.NewWithHelper(helper)
			a.FactTypes = append(a.FactTypes, new(clinging))
			run := a.Run
			a.Run = func(pass *analysis.Pass) (any, error) {
				live.enter(pass)
				pass.ExportPackageFact(&clinging{Name: pass.Pkg.Name(), pkg: pass.Pkg})
				if pass.Pkg.Name() == "last" {
					live.settle(t, 2*workers) // each has one at hand, and may not have let go of the one before
				}
				return run(pass)
			}
			return a
		},
	}
	out, err := r.Run(named, nil)
	if err != nil {
		t.Fatal(err)
	}
	if live.entered != n+1 {
		t.Errorf("%d packages were analysed, want %d", live.entered, n+1)
	}
	inLast := 0
	for _, f := range out.Found {
		if f.Pkg.Name == "last" {
			inLast++
		}
	}
	if len(out.Found) != n+1 || inLast != 1 {
		t.Errorf("%d findings, %d in the package that imports the others, want %d and 1, of what they tell", len(out.Found), inLast, n+1)
	}
}

// An analysis that fails does so too where it only was to tell of a package that
// others import: they would pass for clean.
func TestFailsInImported(t *testing.T) {
	c := many(t, 1)
	named, err := c.Packages("./last")
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{
		Load:   c,
		SafeIO: func(*packages.Package) string { return analyzer.DefaultSafeio },
		New: func(helper *types.Func) *analysis.Analyzer {
			a := analyzer.NewWithHelper(helper)
			run := a.Run
			a.Run = func(pass *analysis.Pass) (any, error) {
				if pass.Pkg.Name() == "p" {
					return nil, errors.New("out of order")
				}
				return run(pass)
			}
			return a
		},
	}
	const want = "example.com/m/p0: out of order"
	if _, err := r.Run(named, load.Imported(named)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestOffersInOrder analyses two packages that object to the fix of a third one, where either
// is done first: the finding names the same one of them.
func TestOffersInOrder(t *testing.T) {
	c := many(t, 3)
	named, err := c.Packages("./p0", "./p1", "./p2")
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(len(named)))
	for _, first := range []string{"example.com/m/p0", "example.com/m/p1"} {
		done := make(chan struct{})
		r := Runner{
			Load:   c,
			SafeIO: func(*packages.Package) string { return analyzer.DefaultSafeio },
			New: func(helper *types.Func) *analysis.Analyzer {
				a := analyzer.NewWithHelper(helper)
				a.Run = func(pass *analysis.Pass) (any, error) {
					path := pass.Pkg.Path()
					if path != first {
						<-done
					}
					f := []*finding.Finding{{Pos: pass.Files[0].Pos(), Elsewhere: "the place", Func: "Save", NoFix: path}}
					if path == "example.com/m/p2" {
						return &analyzer.Result{Findings: f}, nil
					}
					return &analyzer.Result{Offers: func() ([]*finding.Finding, error) { return f, nil }}, nil
				}
				return a
			},
			Progress: func(int, int) {
				select {
				case <-done:
				default:
					close(done)
				}
			},
		}
		out, err := r.Run(named, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Found) != 1 {
			t.Fatalf("%s first: %d findings, want 1", first, len(out.Found))
		}
		if want := "in p.Save: example.com/m/p0"; out.Found[0].NoFix != want {
			t.Errorf("%s first: no fix: %q, want %q", first, out.Found[0].NoFix, want)
		}
	}
}

// clinging is a fact that holds on to the package that it is about.
type clinging struct {
	Name string
	pkg  *types.Package
}

func (*clinging) AFact() {}

// A liveness counts what is in memory of the packages that were analysed.
type liveness struct {
	entered             int32
	syntax, types, info atomic.Int32
}

func (l *liveness) enter(pass *analysis.Pass) {
	atomic.AddInt32(&l.entered, 1)
	decls := pass.Files[0].Decls
	body := decls[len(decls)-1].(*ast.FuncDecl).Body.List
	count(&l.syntax, body[len(body)-1].(*ast.ReturnStmt).Results[0].(*ast.CallExpr)) // what has to change
	count(&l.types, pass.Pkg)
	count(&l.info, pass.TypesInfo)
}

func count[T any](live *atomic.Int32, object *T) {
	live.Add(1)
	runtime.AddCleanup(object, func(live *atomic.Int32) { live.Add(-1) }, live)
}

// settle waits until no more are in memory than may be.
func (l *liveness) settle(t *testing.T, most int32) {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		syntax, types, info := l.syntax.Load(), l.types.Load(), l.info.Load()
		if max(syntax, types, info) <= most {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("in memory are the syntax of %d packages, the types of %d, what is known of the syntax of %d; want at most %d", syntax, types, info, most)
			return
		}
	}
}

// many writes a module of n packages that are alike, and one that imports all of
// them.
func many(t *testing.T, n int) load.Config {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.24\n")
	imports, uses := "\"encoding/json\"\n\"path/filepath\"\n", ""
	for i := range n {
		write(fmt.Sprintf("p%d/p.go", i), alike)
		imports += fmt.Sprintf("p%d \"example.com/m/p%[1]d\"\n", i)
		uses += fmt.Sprintf("var _ = p%d.Save\n", i)
	}
	write("last/last.go", "package last\n\nimport (\n"+imports+")\n\n"+uses+last)
	return load.Config{Dir: dir}
}

const alike = `package p

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func Write(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }

func Save(dir string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "session.json"), data, 0o644)
}
`

// last names the file that p0 writes.
const last = `
func Keep(dir string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p0.Write(filepath.Join(dir, "session.json"), data)
}
`
