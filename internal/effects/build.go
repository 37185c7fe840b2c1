package effects

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Package holds the effects of one package.
type Package struct {
	Fset *token.FileSet
	// Funcs are the functions in source order, literals after the function
	// around them.
	Funcs []*Func

	pass    *analysis.Pass
	ssa     *ssa.Package
	calls   map[token.Pos]*ast.CallExpr // by the position that SSA gives a call
	byFn    map[*ssa.Function]*Func
	busy    map[*ssa.Function]bool
	terms   map[ssa.Value]*pathexpr.Term
	open    map[ssa.Value]bool
	flags   openFlags
	globals map[*ssa.Global]ssa.Value // package variables that get one value
}

// Build computes the effects of the pass's package. It returns nil for a
// package that is not the user's (std, a versioned dependency) or that cannot
// touch a file.
func Build(pass *analysis.Pass) *Package {
	if foreign(pass) || !touchesFiles(pass) {
		return nil
	}
	p := &Package{
		Fset:    pass.Fset,
		pass:    pass,
		ssa:     buildSSA(pass),
		calls:   map[token.Pos]*ast.CallExpr{},
		byFn:    map[*ssa.Function]*Func{},
		busy:    map[*ssa.Function]bool{},
		terms:   map[ssa.Value]*pathexpr.Term{},
		open:    map[ssa.Value]bool{},
		flags:   newOpenFlags(pass.Pkg),
		globals: map[*ssa.Global]ssa.Value{},
	}
	p.indexCalls()
	p.indexGlobals()
	for _, fn := range p.sourceFuncs() {
		p.Funcs = append(p.Funcs, p.fn(fn))
	}
	return p
}

// foreign reports whether the package is std or a dependency at a version:
// what those do stands in package known. A driver that tells no module (nogo)
// has everything else analysed.
func foreign(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Version != "" {
		return true
	}
	if pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	if len(pass.Files) == 0 {
		return true
	}
	file := filepath.ToSlash(pass.Fset.Position(pass.Files[0].FileStart).Filename)
	root := filepath.ToSlash(build.Default.GOROOT)
	inRoot := root != "" && strings.HasPrefix(file, root+"/src/") || strings.HasPrefix(file, "$GOROOT/")
	return inRoot && !strings.HasPrefix(pass.Pkg.Path(), "cmd/")
}

// touchesFiles is the gate in front of SSA: only a package that imports one of
// the packages that open files, or one whose functions are known to touch
// them, can have an effect.
func touchesFiles(pass *analysis.Pass) bool {
	for _, imp := range pass.Pkg.Imports() {
		switch imp.Path() {
		case "os", "io/ioutil", "syscall", "golang.org/x/sys/unix":
			return true
		}
		var fact touches
		if pass.ImportPackageFact(imp, &fact) {
			return true
		}
	}
	return false
}

// buildSSA builds SSA for the package alone; its imports are types without
// bodies.
func buildSSA(pass *analysis.Pass) *ssa.Package {
	prog := ssa.NewProgram(pass.Fset, 0)
	made := map[*types.Package]bool{}
	var imports func([]*types.Package)
	imports = func(pkgs []*types.Package) {
		for _, p := range pkgs {
			if !made[p] {
				made[p] = true
				prog.CreatePackage(p, nil, nil, true)
				imports(p.Imports())
			}
		}
	}
	imports(pass.Pkg.Imports())
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	return pkg
}

func (p *Package) indexCalls() {
	for _, f := range p.pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				p.calls[n.Lparen] = n
			case *ast.DeferStmt:
				p.calls[n.Defer] = n.Call
			case *ast.GoStmt:
				p.calls[n.Go] = n.Call
			}
			return true
		})
	}
}

// indexGlobals finds the package variables that are given exactly one value,
// by the package's initialisation.
func (p *Package) indexGlobals() {
	stores := map[*ssa.Global]int{}
	visit := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if s, ok := i.(*ssa.Store); ok {
					if g, ok := s.Addr.(*ssa.Global); ok {
						stores[g]++
						p.globals[g] = s.Val
					}
				}
			}
		}
	}
	for _, fn := range p.sourceFuncs() {
		visit(fn)
	}
	if init := p.ssa.Func("init"); init != nil {
		visit(init)
	}
	for g, n := range stores {
		if n > 1 {
			delete(p.globals, g)
		}
	}
}

// sourceFuncs lists the functions with a body, in source order.
func (p *Package) sourceFuncs() []*ssa.Function {
	var list []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		list = append(list, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, f := range p.pass.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil {
				continue
			}
			obj, ok := p.pass.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := p.ssa.Prog.FuncValue(obj); fn != nil && len(fn.Blocks) > 0 {
				add(fn)
			}
		}
	}
	if init := p.ssa.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			add(lit)
		}
	}
	return list
}

// Of returns the effects of a function of the package, nil for any other.
func (p *Package) Of(fn *ssa.Function) *Func { return p.byFn[fn] }

// maxEffects bounds what one function is taken to do. A function beyond it is
// a main program; its tail adds nothing to a summary.
const maxEffects = 400

// fn computes a function's effects once. A function met again while it is being
// computed (recursion) contributes nothing the second time.
func (p *Package) fn(fn *ssa.Function) *Func {
	if f := p.byFn[fn]; f != nil {
		return f
	}
	if p.busy[fn] {
		return nil
	}
	p.busy[fn] = true
	defer delete(p.busy, fn)
	w := &walker{p: p, f: &Func{SSA: fn}}
	w.walk()
	p.byFn[fn] = w.f
	return w.f
}
