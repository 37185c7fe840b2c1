package prove

import (
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
)

// replaceSaver has no proof: how a library's function writes another file, which then replaces this one, depends on
// what it is told besides the path.
func (s *File) replaceSaver(r finding.ReplaceSaver) (*Proof, error) {
	fn := s.pass.callee(r.Call)
	if fn == nil {
		return nil, Refusal("what is called comes out as the program runs")
	}
	if saver, _ := known.SaverOf(fn.FullName()); saver.Encode != "" {
		return nil, refusef("have %s.%s give the content, and %s.WriteFile write it", fn.Pkg().Name(), saver.Encode, s.safeio)
	}
	if advice := known.Advice(fn.FullName()); advice != "" {
		return nil, Refusal(advice)
	}
	return nil, refusef("have %s.Replace call it for another file, which then replaces this one", s.safeio)
}
