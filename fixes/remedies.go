package fixes

import (
	"reflect"

	"github.com/lockvet/lockvet/internal/finding"
)

// remedies prove that the end states can be reached, each that of its type.
func remedies() map[reflect.Type]remedy {
	return table(
		row((*source).replaceCall),
		row((*source).publishHandle),
		row((*source).collapseTemp),
		row((*source).cutLocked),
		row((*source).unlockLast),
		row((*source).flushFirst),
		row((*source).spanLock),
		row((*source).lockEarlier),
		row((*source).moveInside),
		row((*source).unlockBehind),
		row((*source).lockToWrite),
		row((*source).lookAgain),
		row((*source).holdOn),
		row((*source).dropRemoval),
		row((*source).releaseLast),
		row((*source).deferLater),
		row((*source).makeExclusive),
		row((*source).holdLock),
		row((*source).keepLock),
		row((*source).commitFile),
		row((*source).closeOnExec),
		row((*source).checkError),
		row((*source).oneWrite),
		row((*source).unbuffer),
		row((*source).surfaceError),
	)
}

// A remedy proves that the end state which a remedy of its type asks for can be reached.
type remedy struct {
	of    reflect.Type
	prove func(*source, finding.Remedy) (*plan, error)
}

func row[R finding.Remedy](prove func(*source, R) (*plan, error)) remedy {
	return remedy{reflect.TypeFor[R](), func(s *source, r finding.Remedy) (*plan, error) { return prove(s, r.(R)) }}
}

func table(rows ...remedy) map[reflect.Type]remedy {
	m := make(map[reflect.Type]remedy)
	for _, r := range rows {
		m[r.of] = r
	}
	return m
}

// plan finds the mend of one remedy.
func (s *source) plan(r finding.Remedy) (*plan, error) {
	if row, ok := s.remedies[reflect.TypeOf(r)]; ok {
		return row.prove(s, r)
	}
	return nil, refusal("no edit is known for it")
}
