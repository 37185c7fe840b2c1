package failure

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
)

// makeVacancies gives those of a check of the function that it stands in.
func (p *Package) makeVacancies(check *effects.Effect) *vacancies {
	f := p.Of(check.At.Parent())
	v := &vacancies{blocks: map[*ssa.BasicBlock]bool{}}
	if f == nil {
		return v
	}
	for _, o := range p.failing(f, check, vacancy) {
		v.blocks[check.At.Block()] = true
		for b := range p.propagate(f, check, o, vacancy, nil).came {
			v.blocks[b] = true
		}
		res := check.At.(*ssa.Call).Call.Signature().Results()
		for i, is := range o.results {
			v.noError = v.noError || is == zero && memory.IsErrorType(res.At(i).Type())
		}
	}
	return v
}
