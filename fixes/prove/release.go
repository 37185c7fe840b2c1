package prove

import (
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// dropRemoval takes away the removal of a lock file:
//
//	lock.Unlock()
//	os.Remove(lockPath) // tidy up
//	~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
func (s *File) dropRemoval(r finding.DropRemoval) (*Proof, error) {
	decl := s.declaringAt(r.Call.Pos(), r.Call.End())
	switch {
	case decl == nil:
		return nil, Refusal("the function that removes the file is not known")
	case lexicon.RemovesLock.MatchString(decl.Doc.Text()):
		return nil, refusef("the comment on %s says that it removes the file; only its author can change what it promises",
			decl.Name.Name)
	}
	sc := s.scope(decl.Body)
	if o := sc.outcome(r.Call); o.returned() && len(o.ret.Results) == 1 {
		sc.put(r.Call, "nil")
	} else {
		sc.note(sc.dropRemove(r.Call))
	}
	sc.note(sc.dropUnused())
	p, err := sc.plan("Leave the lock file in place")
	if err == nil {
		p.Leaves = true
	}
	return p, err
}
