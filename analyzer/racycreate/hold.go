package racycreate

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
)

// held asks for a lock of the operating system in the place of the file that is
// made, or says why nothing but its author can make it one. Where there is
// another end state, that is what is left then.
func (c *checker) held(made *effects.Effect, otherwise finding.Remedy) (finding.Remedy, string) {
	f := c.p.Of(made.In)
	body := outermostBody(made.In)
	switch {
	case f == nil || body == nil || made.Foreign != "" || made.Call == nil:
		return otherwise, "it is made in another package"
	case made.Kind == effects.Rename || made.Kind == effects.Replace:
		return otherwise, "it is moved into its place"
	}
	if why := c.shared(made, body); why != "" {
		return otherwise, why
	}
	var looks []*ast.CallExpr
	for _, e := range f.Effects {
		if own(e, made) && e.Here() != nil && (asks(e) || len(e.Via) > 0) && !slices.Contains(looks, e.Here()) {
			looks = append(looks, e.Here())
		}
	}
	return finding.HoldLock{Body: body, Make: made.Call, Looks: looks, Else: otherwise}, ""
}

// own reports whether an effect of the function that makes the file is one on it.
func own(e, made *effects.Effect) bool {
	return e != made && memory.SameFile(e.Path, pathOf(made)) && !(e.Handle != nil && e.On(made.Handle))
}

func outermostBody(fn *ssa.Function) *ast.BlockStmt {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return effects.BodyOf(fn)
}

// shared says who else in the package goes by the file: with a lock of the
// operating system it would look for a file that is not there. It is empty for
// nobody.
func (c *checker) shared(made *effects.Effect, body *ast.BlockStmt) string {
	switch other, ok := evidence.Others(c.p.Package, made, body); {
	case !ok:
		return "which file it is only the callers in other packages know, and whether they go by it, too"
	case other != nil:
		return memory.FuncName(other.In) + " goes by the file, too, and would not see a lock"
	}
	return ""
}
